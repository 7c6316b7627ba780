# Fails unless the collection orders of the database shop has documents. TARGET_URI is
# the connection string of the cluster that was restored. It requires mongosh.
mongosh "${TARGET_URI:?}" --quiet --eval 'quit(db.getSiblingDB("shop").orders.countDocuments({}, { limit: 1 }) > 0 ? 0 : 1)'
