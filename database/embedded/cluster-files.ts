import { statSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../setup-error.ts';
import type { Binaries } from './binaries.ts';

/** Whether the folder may be a cluster: one without its version is what is left of one, or a disk that is not mounted. */
export function isCluster(folder: string): boolean {
  try {
    return statSync(join(folder, 'PG_VERSION')).isFile();
  } catch (error) {
    return errorCode(error) !== 'ENOENT';
  }
}

/** Roles and database of an embedded cluster. */
export const EMBEDDED_NAMES = {
  database: 'triagem',
  superuser: 'postgres',
  owner: 'triagem_owner',
  observer: 'triagem_observer',
  gates: 'triagem_gates',
  record: 'triagem_record',
} as const;

/** Name of the settings file, included at the end of what initdb wrote, so that ours win. */
export const SETTINGS_FILE = 'triagem.conf';

/** PostgreSQL's settings. A running server with the same text is one that this process would start. */
export function settingsFile(
  port: number,
  binaries: Binaries,
  extra: Readonly<Record<string, string>>,
): string {
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    password_encryption: 'scram-sha-256',
    wal_level: 'logical',
    fsync: 'on',
    // The list of events reads from it when tickets were written.
    track_commit_timestamp: 'on',
    max_replication_slots: '20',
    max_wal_senders: '20',
    // An observer that hangs must not fill the disk: its slot is invalidated, and it starts again from a snapshot.
    max_slot_wal_keep_size: '4GB',
    log_timezone: 'UTC',
    // A week of log files, each started afresh on its day.
    logging_collector: 'on',
    log_directory: 'log',
    log_filename: 'postgresql-%a.log',
    log_rotation_age: '1d',
    log_rotation_size: '0',
    log_truncate_on_rotation: 'on',
    log_checkpoints: 'off',
    ...extra,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'`);
  return `# Written by Triagem at every start. Your own settings: ALTER SYSTEM. ${binaries.version}\n${lines.join('\n')}\n`;
}

/** Who may connect, and how. */
export function accessFile(): string {
  const { database, superuser, owner, observer, gates, record } = EMBEDDED_NAMES;
  const entrances = [
    // Refuses physical connections. A logical one enters by the lines below, and can still copy the cluster.
    ['host', 'replication', 'all', '0.0.0.0/0', 'reject'],
    ['host', database, `${owner},${observer},${gates},${record}`, '127.0.0.1/32', 'scram-sha-256'],
    ['host', 'all', superuser, '127.0.0.1/32', 'scram-sha-256'],
  ];
  return `# Written by Triagem at every start.\n${entrances.map((fields) => fields.join(' ')).join('\n')}\n`;
}
