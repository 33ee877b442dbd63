import type { NamedEvent } from '../../fleet/events/read-events-file.ts';
import { JsonFileError } from '../../domain/json-file.ts';
import { CommandLineEnd, readCommandLine, wrongUsage } from '../command-line.ts';
import { deriveEventKey, type KeyPurpose } from '../../fleet/events/event-keys.ts';
import { readEventsFile } from '../../fleet/events/events-file.ts';
import { MIN_SECRET_LENGTH } from '../setting-reader.ts';

/** The process of `npm run keys`: what an operator hands out for each event. */

const HELP = `Usage: npm run -s keys [-- NAME ...] [--json]

Prints the keys of the events in EVENTS_FILE, or of those named by host or event ID. Each event's are derived from the
ones that are set, and reveals no other. Give the desk's to those who sit there, and to nobody else; every screen of the
event receives the dashboard's, and a program reads the counts with it.

  --json  as JSON

Settings, as the edges have them:

  EVENTS_FILE    which events there are
  DASHBOARD_KEY  from which the dashboards' keys follow
  DESK_KEY       from which the desks' keys follow
`;

const PROGRAM = 'npm run -s keys';
const PURPOSES: Readonly<Record<KeyPurpose, string>> = { dashboard: 'DASHBOARD_KEY', desk: 'DESK_KEY' };

interface EventKeys {
  readonly hosts: readonly string[];
  readonly eventId: string;
  readonly title: string | null;
  readonly dashboardKey: string | null;
  readonly deskKey: string | null;
}

// The reader of the output may end first.
for (const output of [process.stdout, process.stderr]) output.on('error', () => {});
process.exitCode = run(process.argv.slice(2), process.env);

function run(args: string[], env: NodeJS.ProcessEnv): number {
  try {
    const { values, positionals } = readCommandLine(args, {
      program: PROGRAM,
      help: HELP,
      options: { json: { type: 'boolean', default: false } },
      takesNames: true,
    });
    const { path, keys } = readSettings(env);
    const events = choose(readEventsFile(path), positionals).map((event) => keysOf(event, keys));
    process.stdout.write(
      values.json ? `${JSON.stringify(events, undefined, 2)}\n` : events.map(describe).join('\n'),
    );
    return 0;
  } catch (error) {
    if (error instanceof CommandLineEnd) return error.say();
    if (!(error instanceof JsonFileError)) throw error;
    const faults = error.faults.map((fault) => `  - ${fault}`).join('\n');
    process.stderr.write(`EVENTS_FILE is "${env['EVENTS_FILE']?.trim()}":\n${faults}\n`);
    return 1;
  }
}

type SetKeys = Readonly<Partial<Record<KeyPurpose, string>>>;

function readSettings(env: NodeJS.ProcessEnv): { readonly path: string; readonly keys: SetKeys } {
  const text = (name: string): string | undefined => env[name]?.trim() || undefined;
  const path = text('EVENTS_FILE');
  const keys: SetKeys = Object.fromEntries(
    Object.entries(PURPOSES).flatMap(([purpose, name]) => {
      const key = text(name);
      return key === undefined ? [] : [[purpose, key]];
    }),
  );
  const faults = [
    ...(path === undefined ? ['EVENTS_FILE is not set'] : []),
    ...(Object.keys(keys).length === 0 ? ['neither DASHBOARD_KEY nor DESK_KEY is set'] : []),
    ...Object.values(PURPOSES)
      .filter((name) => (text(name)?.length ?? MIN_SECRET_LENGTH) < MIN_SECRET_LENGTH)
      .map((name) => `${name} is too short: no edge takes fewer than ${MIN_SECRET_LENGTH} characters`),
  ];
  if (path === undefined || faults.length > 0) throw wrongUsage(`${faults.join('; ')}.`, PROGRAM);
  return { path, keys };
}

function choose(events: readonly NamedEvent[], names: readonly string[]): readonly NamedEvent[] {
  const isNamed = ({ hosts, eventId }: NamedEvent, name: string): boolean =>
    eventId === name || hosts.includes(name.toLowerCase());
  const unknown = names.filter((name) => !events.some((event) => isNamed(event, name)));
  if (unknown.length > 0) throw wrongUsage(`EVENTS_FILE has no event ${unknown.join(', ')}.`, PROGRAM);
  return names.length === 0 ? events : events.filter((event) => names.some((name) => isNamed(event, name)));
}

function keysOf({ hosts, eventId, title }: NamedEvent, keys: SetKeys): EventKeys {
  const derive = (purpose: KeyPurpose): string | null => {
    const key = keys[purpose];
    return key === undefined ? null : deriveEventKey(key, purpose, eventId);
  };
  return { hosts, eventId, title: title ?? null, dashboardKey: derive('dashboard'), deskKey: derive('desk') };
}

function describe({ hosts, eventId, title, dashboardKey, deskKey }: EventKeys): string {
  const lines = [
    `${hosts.join(', ')}${title === null ? '' : `  (${title})`}`,
    `  event ID       ${eventId}`,
    `  dashboard key  ${dashboardKey ?? 'none: DASHBOARD_KEY is not set'}`,
    `  desk key       ${deskKey ?? 'none: DESK_KEY is not set, so there is no desk'}`,
  ];
  return `${lines.join('\n')}\n`;
}
