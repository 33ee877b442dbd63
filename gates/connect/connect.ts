import { VIEW_SYSTEM } from '../../domain/connection-marks.ts';
import { readArguments, type Command } from '../cli/command.ts';
import { canAsk, confirm } from '../cli/confirm.ts';
import { GatesError, UsageError } from '../cli/errors.ts';
import { userPath } from '../cli/user-path.ts';
import { stopSignal } from '../cli/stop-signal.ts';
import { findTarget } from '../cli/target.ts';
import { chooseEvent, readEvent } from '../events/event.ts';
import { venueOf } from '../import/venue.ts';
import { assertChosen, listChoices, writeVenue } from './choose.ts';
import {
  type Connection,
  differencesOf,
  findConnection,
  newName,
  type Settings,
  systemOf,
  ticketsQuery,
} from './connection.ts';
import { at, type Databases, hidePassword, withDatabases } from './databases.ts';
import { describeAbsent, findTables, namesOf } from './find-tables.ts';
import { OPTIONS, readWanted, type Wanted } from './options.ts';
import {
  assertColumnsKept,
  assertConnectable,
  assertEventFree,
  assertNamesFree,
  assertNoRowSecurity,
  assertTickets,
} from './refusals.ts';
import { describeRemoval, nameRemoved, removeConnection } from './remove.ts';
import { describeSectorDoubts, describeSectors, readSectors } from './sectors.ts';
import { planSteps, runSteps, type Step } from './steps.ts';
import { assertFollowable } from './view-refusals.ts';

export const connectSystem: Command = {
  help: `Usage: npm run -s gates -- connect SYSTEM [options]
       npm run -s gates -- connect --view FILE.sql --tables "TABLE(GROUP,COLUMN,…) …" [options]
       npm run -s gates -- connect --remove [--print | --yes]

Brings the tickets and entries of a ticketing system, by logical replication, from its PostgreSQL (15 or newer): a
publication there; here copies of the columns that count, and triggers that keep the tickets in step. SYSTEM is alf.io,
pretix (also eventyay) or hi.events. Without --event it lists their events, without --list their check-in lists, and
connects nothing (with --yes: exit code 1). Run again, it completes what is half done, and connects anew after an
upgrade of theirs.

  --event ID             their event
  --list ID              their check-in list, where entries have one
  --category ID=SECTOR   tickets of this category have this sector (default: the category's ID); "ID=" leaves them out
  --view FILE.sql        a query of key, grp, is_valid_ticket, entrou, setor, for any other system
  --tables "…"           its tables, each with the column that is grp in the query, then those that the query reads
  --into ID              the event of the board (default: EVENT_ID, else the event of the running board)
  --venue FILE.json      write names and capacities of the categories as a venue (of a known system)
  --print                print what would be run on each side, and change nothing
  --yes                  do not ask first; needed where nobody can be asked
  --remove               take everything back, on both sides

SOURCE_DATABASE_URL   their database, with a role that may replicate; the board is not live without it
SOURCE_OWNER_URL      the same with the owner of their tables, unless the role above is it
MIGRATE_DATABASE_URL  the board's database, with a role that may make subscriptions (not for the embedded one)

Exit code 1: the cause is reported, and the same command completes what is half done; 2: a wrong option; 130: Ctrl-C.
`,
  async run(args, env) {
    const isNamed = args[0] !== undefined && !args[0].startsWith('-');
    const { values, positionals } = readArguments(args, OPTIONS, isNamed ? ['SYSTEM'] : []);
    const { print, remove, yes } = values;
    const [view, venue] = [values.view, values.venue].map((path) =>
      path === undefined ? undefined : userPath(path, env),
    );
    if (remove && (isNamed || view !== undefined || values.event !== undefined))
      throw new UsageError('--remove takes no system: it removes the connection that is there.');
    const wanted = remove ? undefined : await readWanted(positionals[0], { ...values, view });
    const mustAsk = !yes && !print;
    const into = readEvent(values.into, env);
    const stop = stopSignal();
    const target = await findTarget(env);
    const event = remove ? undefined : chooseEvent(into, target);
    const ask = async (what: string, question: string): Promise<void> => {
      process.stderr.write(what);
      if (mustAsk && !canAsk()) throw new UsageError('connect needs --yes, as nobody is here to be asked.');
      if (mustAsk) await confirm(question, stop);
    };
    return withDatabases(env, target, async (databases) => {
      const there = await at(databases.here, findConnection);
      if (!wanted || !event) {
        if (!there) throw new GatesError('There is no connection here.');
        chooseEvent(there.settings.eventId, target);
        if (print) process.stdout.write(await describeRemoval(databases, there));
        else {
          const removed = await nameRemoved(databases, there);
          await ask('', `Remove the connection with ${nameOf(there.settings)}, ${removed}?`);
          await removeConnection(databases, there, {
            isObserved: target.boards.length > 0 || target.hasCounters,
            stop,
          });
        }
        return 0;
      }
      await assertConnectable(databases);
      const connection = await chooseConnection(databases, wanted, event.eventId, there);
      if (!connection && yes)
        throw new GatesError(
          `Nothing is connected: ${wanted.event === undefined ? '--event' : '--list'} is missing, and what it can be is listed above.`,
        );
      if (!connection) return 0;
      const { settings } = connection;
      const system = systemOf(settings);
      const tables = await at(databases.owner, (sql) => findTables(sql, system));
      await assertNamesFree(databases, tables);
      await assertNoRowSecurity(databases, tables);
      if (there) await assertColumnsKept(databases, there, tables);
      process.stderr.write(describeAbsent(tables));
      if (!there) await assertChosen(databases.owner, system, namesOf(tables), settings);
      const tickets = ticketsQuery(settings, tables);
      await at(databases.owner, (sql) => assertTickets(sql, tickets, system, there !== undefined));
      if (!there) await assertEventFree(databases, settings.eventId);
      if (!there) await assertFollowable(databases, connection, tables);
      const sourceUrl = print ? hidePassword(databases.sourceUrl) : databases.sourceUrl;
      const steps = await planSteps({ ...databases, sourceUrl }, connection, tables, stop);
      if (print) {
        process.stdout.write(describeSteps(steps));
        return 0;
      }
      await ask(outlineSteps(steps), `Connect ${nameOf(settings)} with event ${event.name}?`);
      // Tickets may have come while the question was open.
      if (!there) await assertEventFree(databases, settings.eventId);
      if (venue !== undefined) {
        const rows = await writeVenue(databases.owner, system, namesOf(tables), settings, venue);
        process.stderr.write(`${venue}: ${rows} sectors.\n`);
      }
      await runSteps(steps, stop, (line) => process.stderr.write(`${line}\n`));
      const sectors = await readSectors(databases, connection);
      process.stdout.write(describeSectors(sectors));
      const shown = await venueOf(venue === undefined ? env : { ...env, VENUE_FILE: venue }, target);
      const doubts = describeSectorDoubts(sectors, connection, shown);
      const unread = await describeUnreadSlots(databases, connection);
      process.stderr.write([...doubts, ...unread, describeNext(venue)].map((line) => `${line}\n`).join(''));
      return 0;
    });
  },
};

/** Names slots of other boards, as of one that was lost: until they are dropped, the source keeps its log for them. */
async function describeUnreadSlots({ reader }: Databases, { name }: Connection): Promise<string[]> {
  const slots = await at(
    reader,
    (sql) => sql<{ slot: string }[]>`
      select slot_name as slot from pg_replication_slots
      where database = current_database() and not active and slot_name ~ '^triagem_[0-9a-f]{12}$' and slot_name <> ${name}`,
  );
  return slots.map(
    ({ slot }) =>
      `No board reads the slot ${slot} of the source, which keeps its log for it. If that board is gone, there: select pg_drop_replication_slot('${slot}'); drop publication if exists ${slot};`,
  );
}

function describeNext(venue: string | undefined): string {
  const sectors = venue === undefined ? '' : `, and VENUE_FILE=${venue} for the sectors`;
  return `Start the board with this SOURCE_DATABASE_URL, without which it is not live${sectors}.`;
}

/** Returns undefined after it has listed what is to be chosen. @throws GatesError where another connection is here. */
async function chooseConnection(
  databases: Databases,
  wanted: Wanted,
  eventId: string,
  there: Connection | undefined,
): Promise<Connection | undefined> {
  const { event, list, sectors } = wanted;
  const isMore = event !== undefined || list !== undefined || Object.keys(sectors).length > 0;
  if (there && wanted.system === there.settings.system && !isMore) return there;
  if (there && isMore) {
    const { settings } = there;
    assertSame(settings, { ...wanted, event: event ?? settings.event, list: list ?? settings.list, eventId });
    return there;
  }
  const system = systemOf({ ...wanted, event: '', eventId });
  if (event === undefined || (system.choosing?.lists && list === undefined)) {
    const names = namesOf(await at(databases.owner, (sql) => findTables(sql, system)));
    process.stdout.write(await listChoices(databases.owner, system, names, event));
    return undefined;
  }
  return { name: await at(databases.here, newName), settings: { ...wanted, event, eventId } };
}

/** @throws GatesError that names what this database is connected with, and how that differs where the name is the same. */
function assertSame(there: Settings, wanted: Settings): void {
  const hasName = nameOf(there) === nameOf(wanted);
  const differences = hasName ? differencesOf(there, wanted) : [];
  if (hasName && differences.length === 0) return;
  throw new GatesError(
    `This database is connected with ${[nameOf(there), ...differences].join(', ')}: "connect --remove" first, or a database of its own for each.`,
  );
}

function nameOf({ system, event, list }: Settings): string {
  if (system === undefined) return VIEW_SYSTEM;
  return `${system}, event ${event}${list === undefined ? '' : `, list ${list}`}`;
}

function outlineSteps(steps: readonly Step[]): string {
  return steps.map(({ place, what }) => `${place.setting.padEnd(21)} ${what}\n`).join('');
}

/** Returns the statements as a script. */
function describeSteps(steps: readonly Step[]): string {
  return steps
    .map(({ place, what, statements }) => {
      const body = statements.map((statement) => `${statement};\n`).join('');
      const whole = statements.length > 1 ? `begin;\n${body}commit;\n` : body;
      return `-- ${place.setting}: ${what}\n${whole}`;
    })
    .join('\n');
}
