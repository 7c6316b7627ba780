# Calls Ops Manager with the gem mms-api. Prints a line for each call: its name, and a tab with the
# error if it failed.
require 'mms'

PROJECT = '64f0c2a19b3d5e7f80a1b2c3'.freeze
LEDGER = '650a1f3c2e4b6d8091a3b5c7'.freeze
ORDERS = '650a2035b7d9f1e3a5c70924'.freeze
SNAPSHOT = '66d2a1b0c4d6e8f0a2b4c601'.freeze

client = MMS::Client.new(ENV['PUBLIC_KEY'], ENV['PRIVATE_KEY'], ENV['OM_URL'].chomp('/') + '/api/public/v1.0')
agent = MMS::Agent.new(client)

def call(name)
  result = yield
  raise "unexpected result #{result.inspect}" unless result
  puts name
rescue StandardError => error
  puts "#{name}\t#{error.class}: #{error.message}".split("\n").join(' ')
end

call('list projects') { agent.groups.length == 2 }
call('read a project') { agent.find_group(PROJECT).name == 'Payments' }
group = agent.find_group(PROJECT)
call('list clusters') { group.clusters.length > 5 }
call('read a cluster') { group.cluster(LEDGER).name == 'ledger' }
call('list backup configurations') { group.backup_configs.length > 5 }
cluster = group.cluster(LEDGER)
call('list snapshots') { !cluster.snapshots.empty? }
call('read a snapshot') { cluster.snapshot(SNAPSHOT).id == SNAPSHOT }
call('read a schedule') { cluster.snapshot_schedule.snapshot_interval_hours == 24 }
call('list restore jobs') { !cluster.restorejobs.empty? }
call('start a restore') { !cluster.snapshot(SNAPSHOT).create_restorejob.empty? }
call('start a restore of a sharded cluster') { !group.cluster(ORDERS).snapshots.first.create_restorejob.empty? }
call('change a schedule') { client.patch("/groups/#{PROJECT}/backupConfigs/#{LEDGER}/snapshotSchedule", snapshotRetentionDays: 4)['snapshotRetentionDays'] == 4 }
call('stop a backup') { client.patch("/groups/#{PROJECT}/backupConfigs/#{LEDGER}", statusName: 'STOPPED')['statusName'] == 'STOPPED' }
