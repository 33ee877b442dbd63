import { type BoardConfig, listenersOf, readBoardSettings, sharedPorts } from './board-config.ts';
import { connectionStringProblem } from './database/connection-string.ts';
import { OperatorError } from './errors.ts';
import type { SourceSettings } from './observing/subscription-watch.ts';
import { refuseOthersSettings } from './roles/role.ts';
import { type Environment, SettingReader } from './setting-reader.ts';
import { readSourceSettings } from './source-settings.ts';
import { faultOfOwnAddress, readWebhookSettings } from './webhook-settings.ts';
import type { WebhookTarget } from './webhook-target.ts';

/** Everything that can be set for one process with everything in it, checked. */
export interface Config extends BoardConfig {
  /** What opens the flow desk; `undefined`: there is none. */
  readonly deskKey: string | undefined;
  /** Where alarms are sent; `undefined`: nowhere. */
  readonly alarmWebhook: WebhookTarget | undefined;
  /** Where the flow is recorded; `undefined`: in the embedded database, else nowhere. */
  readonly recordUrl: string | undefined;
  /** Where subscriptions of the database bring tickets from. */
  readonly source: SourceSettings;
  readonly database:
    | { readonly kind: 'external'; readonly url: string }
    | {
        readonly kind: 'embedded';
        readonly dataDir: string | undefined;
        readonly subfolder: string | undefined;
        readonly port: number;
      };
}

/** The message names every setting at fault, with its fix. */
export class ConfigError extends OperatorError {
  override readonly name = 'ConfigError';

  constructor(faults: readonly string[]) {
    super(`Triagem cannot start with these settings:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
  }
}

/** Reads the environment; an empty value counts as not set. Throws a ConfigError that names every fault. */
export function readConfig(env: Environment): Config {
  const settings = new SettingReader(env);
  const { faults } = settings;
  refuseOthersSettings('all-in-one', settings);
  const url = settings.text('DATABASE_URL');
  const recordUrl = settings.text('RECORD_DATABASE_URL');
  for (const [name, value] of Object.entries({ DATABASE_URL: url, RECORD_DATABASE_URL: recordUrl })) {
    const fault = value === undefined ? undefined : connectionStringProblem(value);
    if (fault !== undefined) faults.push(`${name} ${fault}`);
  }
  const config: Config = {
    ...readBoardSettings(settings, url === undefined ? undefined : 'with DATABASE_URL'),
    deskKey: settings.secret('DESK_KEY'),
    alarmWebhook: readWebhookSettings(
      {
        url: settings.text('ALARM_WEBHOOK_URL'),
        secret: settings.text('ALARM_WEBHOOK_SECRET'),
        hasDesk: settings.text('DESK_KEY') !== undefined,
      },
      faults,
    ),
    recordUrl,
    source: readSourceSettings(settings),
    database: url
      ? { kind: 'external', url }
      : {
          kind: 'embedded',
          dataDir: settings.text('DATA_DIR'),
          subfolder: undefined,
          port: settings.port('EMBEDDED_DATABASE_PORT', 54_329),
        },
  };
  const { database } = config;
  const listeners = listenersOf(config);
  if (database.kind === 'embedded') {
    listeners.push({ name: 'EMBEDDED_DATABASE_PORT', host: '127.0.0.1', port: database.port });
  }
  faults.push(...sharedPorts(listeners));
  const ownAddress = config.alarmWebhook && faultOfOwnAddress(config.alarmWebhook, listeners);
  if (ownAddress !== undefined) faults.push(ownAddress);
  if (config.deskKey !== undefined && config.deskKey === config.dashboardKey) {
    faults.push(
      'DESK_KEY is the same as DASHBOARD_KEY, which every screen is told: give it a value of its own',
    );
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}
