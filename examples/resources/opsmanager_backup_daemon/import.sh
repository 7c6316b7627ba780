# The machine and the head directory with its final slash, with | in between.
terraform import opsmanager_backup_daemon.new_york 'om-ny.example.com|/data/backup/'
