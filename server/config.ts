import { type BoardConfig, listenersOf, readBoardSettings, sharedPorts } from './board-config.ts';
import { ConfigError } from './config-error.ts';
import { isInPostgres, type SourceSettings } from '../board/sources/source-settings.ts';
import { refuseOthersSettings } from './roles/role.ts';
import { type Environment, SettingReader } from './setting-reader.ts';
import { readSourceSettings } from './source-settings.ts';
import { faultOfOwnAddress, readWebhookSettings, type WebhookTarget } from './parts.ts';

/** The checked settings of an all-in-one process. */
export interface Config extends BoardConfig {
  /** The key of the flow desk; `undefined`: there is no desk. */
  readonly deskKey: string | undefined;
  /** Where alarms are sent; `undefined`: nowhere. */
  readonly alarmWebhook: WebhookTarget | undefined;
  /** Where the tickets are. */
  readonly source: SourceSettings;
  /** Where the flow is recorded, if there is a desk. */
  readonly record: RecordSettings;
  /** The PostgreSQL that this process starts; `undefined`: it holds neither source nor record. */
  readonly embedded: EmbeddedSettings | undefined;
  /** The folder of a process on Firestore, for keys, the source's knowledge of the tickets, and perhaps the record. */
  readonly ownFolder: FolderSettings | undefined;
}

export type RecordSettings =
  | { readonly kind: 'postgres'; readonly url: string }
  | { readonly kind: 'embedded' | 'memory' };

export interface FolderSettings {
  readonly dataDir: string | undefined;
  readonly subfolder: string | undefined;
}

interface EmbeddedSettings extends FolderSettings {
  readonly port: number;
}

/** @throws ConfigError that names every fault */
export function readConfig(env: Environment): Config {
  const settings = new SettingReader(env);
  const { faults } = settings;
  refuseOthersSettings('all-in-one', settings);
  const source = readSourceSettings(settings);
  const deskKey = settings.secret('DESK_KEY');
  const record = readRecordSettings(settings, source, deskKey !== undefined);
  const folder = { dataDir: settings.text('DATA_DIR'), subfolder: undefined };
  const config: Config = {
    ...readBoardSettings(settings, {
      accountNeededWith: source.kind === 'postgres' ? 'with DATABASE_URL' : undefined,
      eventIn: isInPostgres(source) ? 'postgres' : 'firestore',
    }),
    deskKey,
    alarmWebhook: readWebhookSettings(
      {
        url: settings.text('ALARM_WEBHOOK_URL'),
        secret: settings.text('ALARM_WEBHOOK_SECRET'),
        hasDesk: settings.text('DESK_KEY') !== undefined,
      },
      faults,
    ),
    source,
    record,
    embedded:
      source.kind === 'embedded' || record.kind === 'embedded'
        ? { ...folder, port: settings.port('EMBEDDED_DATABASE_PORT', 54_329) }
        : undefined,
    ownFolder: isInPostgres(source) ? undefined : folder,
  };
  const { embedded } = config;
  const listeners = listenersOf(config);
  if (embedded) listeners.push({ name: 'EMBEDDED_DATABASE_PORT', host: '127.0.0.1', port: embedded.port });
  faults.push(...sharedPorts(listeners));
  const ownAddress = config.alarmWebhook && faultOfOwnAddress(config.alarmWebhook, listeners);
  if (ownAddress !== undefined) faults.push(ownAddress);
  if (config.deskKey !== undefined && config.deskKey === config.dashboardKey) {
    faults.push(
      'DESK_KEY is the same as DASHBOARD_KEY, which every screen receives: give it a value of its own',
    );
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

function readRecordSettings(
  settings: SettingReader,
  source: SourceSettings,
  hasDesk: boolean,
): RecordSettings {
  const url = settings.connectionString('RECORD_DATABASE_URL');
  if (url !== undefined) return { kind: 'postgres', url };
  // Without a desk, a board whose tickets are elsewhere needs no PostgreSQL.
  const isEmbedded = source.kind === 'embedded' || (!isInPostgres(source) && hasDesk);
  return { kind: isEmbedded ? 'embedded' : 'memory' };
}
