"""Calls Ops Manager with the library pyomsdk. Prints a line for each call: its name, and a tab with
the error if it failed."""
import inspect
import os

from pyomsdk.ops_manager_client import OpsManagerClient

PROJECT = "64f0c2a19b3d5e7f80a1b2c3"
LEDGER = "650a1f3c2e4b6d8091a3b5c7"
FRAUD = "650a1e4a0f2c3d5b7e9f1a2b"
SNAPSHOT = "66d2a1b0c4d6e8f0a2b4c601"
URI = "mongodb://backup:secret@db1.example.com:27017,db2.example.com:27017"

client = OpsManagerClient(os.environ["OM_URL"], os.environ["PUBLIC_KEY"], os.environ["PRIVATE_KEY"])
version = tuple(int(n) for n in os.environ["OM_VERSION"].split(".")[:3])


def call(name, resource, method, path=None, body=None, check=None, query=None):
    """Calls a method with the library's own parameter types, so that its defaults are sent."""
    try:
        api = getattr(client, resource + "_resource")
        function = getattr(api, method)
        prefix = "".join(word.capitalize() for word in method.split("_"))
        defaults = getattr(api, prefix + "QueryParams", dict)
        given = {"path_params": spellings(path or {}), "query_params": query or defaults(), "body_params": body}
        arguments = {name: value for name, value in given.items() if name in inspect.signature(function).parameters}
        result = function(**arguments)
        if isinstance(result, dict) and isinstance(result.get("error"), int):
            raise RuntimeError(f"{result['error']} {result.get('errorCode')}: {result.get('detail')}")
        if check and not check(result):
            raise RuntimeError(f"unexpected result {result}")
        print(name)
    except Exception as error:  # pylint: disable=broad-except
        print(name + "\t" + " ".join(f"{type(error).__name__}: {error}".split()))


def spellings(path):
    """Returns the IDs of a path with all names that the templates have for them."""
    path = {**path, **{key.replace("PROJECT", "GROUP"): value for key, value in path.items()}}
    for key, value in list(path.items()):
        first, *rest = key.lower().split("-")
        path[first + "".join(word.capitalize() for word in rest)] = value
    return path


def listed(result):
    return len(result["results"]) > 0 and result["totalCount"] >= len(result["results"])


cluster = {"PROJECT-ID": PROJECT, "CLUSTER-ID": LEDGER}
call("list projects", "projects", "get_all", check=listed)
call("read a project", "projects", "get_by_id", {"PROJECT-ID": PROJECT}, check=lambda r: r["name"] == "Payments")
call("list clusters", "clusters", "get_all_from_one_project", {"PROJECT-ID": PROJECT}, check=listed)
call("read a cluster", "clusters", "get_one", cluster, check=lambda r: r["clusterName"] == "ledger")
call("list backup configurations", "backup_configurations", "get_all", {"PROJECT-ID": PROJECT}, check=listed)
call("read a backup configuration", "backup_configurations", "get_one", cluster)
call("stop a backup", "backup_configurations", "update", cluster, {"statusName": "STOPPED"})
call("restart a backup", "backup_configurations", "update", {"PROJECT-ID": PROJECT, "CLUSTER-ID": FRAUD}, {"statusName": "STARTED"})
call("read a schedule", "snapshot_schedule", "get_schedule", cluster)
call("change a schedule", "snapshot_schedule", "update", cluster, {"fullIncrementalDayOfWeek": "MONDAY"},
     lambda r: r["fullIncrementalDayOfWeek"] == "MONDAY" and r["snapshotIntervalHours"] == 24)
call("list snapshots", "snapshots", "get_all_cluster", cluster, check=listed)
one = {**cluster, "SNAPSHOT-ID": SNAPSHOT}
call("read a snapshot", "snapshots", "get_one_cluster", one, check=lambda r: r["complete"])
call("hold a snapshot", "snapshots", "change_expiry", one, {"doNotDelete": True}, lambda r: r["doNotDelete"])
call("delete a snapshot", "snapshots", "remove_one", {**cluster, "SNAPSHOT-ID": "66d3f330c4d6e8f0a2b4c602"})
if version >= (7, 0, 12):
    call("take a snapshot", "snapshots", "create_one_on_demand_cluster", {"PROJECT-ID": PROJECT, "CLUSTER-ID": "650a2035b7d9f1e3a5c70924"}, query={"retentionDays": 2})
call("list restore jobs", "restore_jobs", "get_all_cluster", cluster, check=lambda r: "results" in r)

daemon = {"MACHINE": "om-ny.example.com", "HEAD-ROOT-DIRECTORY": "/data/backup/"}
call("list daemons", "backup_daemon", "get_all", check=listed)
call("read a daemon", "backup_daemon", "get_by_id", daemon)
call("change a daemon", "backup_daemon", "update", daemon,
     {"assignmentEnabled": True, "machine": {"machine": "om-ny.example.com", "headRootDirectory": "/data/backup/"}})
call("list job configurations", "project_backup_job", "get_all")
call("change a job configuration", "project_backup_job", "update", {"PROJECT-ID": PROJECT}, {"id": PROJECT, "labelFilter": ["east"]})
call("read a job configuration", "project_backup_job", "get_by_id", {"PROJECT-ID": PROJECT})

BUCKET = {"acceptedTos": True, "awsAccessKey": "AKIA00000000", "awsSecretKey": "secret", "pathStyleAccessEnabled": True, "s3AuthMethod": "KEYS",
          "s3BucketEndpoint": "https://s3.example.com", "s3BucketName": "snapshots", "s3MaxConnections": 50, "sseEnabled": False, "uri": URI}
FILES = {"storePath": "/backup", "wtCompressionSetting": "GZIP", "mmapv1CompressionSetting": "NONE"}
for noun, resource, fields in (
        ("blockstore", "blockstore", {"uri": URI}), ("oplog store", "oplog_store", {"uri": URI}), ("sync store", "sync_store", {"uri": URI}),
        ("file system store", "file_system_store", FILES), ("S3 blockstore", "s3_compatible_blockstore", BUCKET), ("S3 oplog store", "s3_oplog", BUCKET)):
    article = "an" if noun[0] in "oS" and noun != "sync store" else "a"
    api = getattr(client, resource + "_resource")
    # The name of the ID differs, and the template of the path has it.
    placeholder = [line for line in inspect.getsource(type(api)).splitlines() if "Configs/{" in line][0].split("{")[1].split("}")[0]
    body, path = {"id": "library-1", "assignmentEnabled": True, "labels": ["a"], **fields}, {placeholder: "library-1"}
    call(f"list {noun}s", resource, "get_all", check=listed)
    call(f"create {article} {noun}", resource, "create", None, body, lambda r: r["id"] == "library-1")
    call(f"read {article} {noun}", resource, "get_by_id", path, check=lambda r: r["labels"] == ["a"])
    call(f"change {article} {noun}", resource, "update", path, {**body, "labels": ["b"], "assignmentEnabled": False}, lambda r: r["labels"] == ["b"])
    call(f"delete {article} {noun}", resource, "delete", path)

if version >= (7, 0, 4):
    call("list deployment regions", "deployment_regions", "get_all", check=listed)
    call("create a deployment region", "deployment_regions", "create", None, {"id": "library", "deploymentDescription": "d", "ingestionEndpoint": "https://a.example.com",
         "restoreEndpoint": "https://b.example.com", "bqProxyEndpoint": "c.example.com:25999", "assignmentEnabled": True})
    call("read a deployment region", "deployment_regions", "get_one", {"DEPLOYMENT-ID": "library"})
    call("delete a deployment region", "deployment_regions", "delete", {"DEPLOYMENT-ID": "library"})
