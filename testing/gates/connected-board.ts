import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { expect, vi } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import type { Command } from '../../gates/cli/command.ts';
import { connectSystem } from '../../gates/connect/connect.ts';
import { closeOnce } from '../close-once.ts';
import { createTestDatabase, type TestDatabase } from '../database/database.ts';
import { until } from '../until.ts';
import { admitByPassword } from './vendor.ts';
import type { TicketingSystem } from './ticketing-system.ts';

const SOLD = 40;

/** A ticketing system beside the database of a board, and the commands that connect both. */
export interface ConnectedBoard {
  readonly system: TicketingSystem;
  readonly theirs: TestDatabase;
  readonly ours: TestDatabase;
  /** Sessions of the ticketing system. */
  readonly vendor: postgres.Sql;
  readonly env: Readonly<Record<string, string>>;
  /** Returns what it printed; rejects with its error, or with its output where the exit code is not `code`. */
  run(command: Command, args: readonly string[], code?: number): Promise<string>;
  connect(...more: string[]): Promise<string>;
  /** Waits until the tickets are those that the system has now. */
  untilExact(limitMs?: number): Promise<void>;
}

export async function openConnectedBoard(
  system: TicketingSystem,
  { theirs: given, ours: own }: { readonly theirs?: TestDatabase; readonly ours?: TestDatabase } = {},
): Promise<ConnectedBoard> {
  const theirs = given ?? (await createTestDatabase());
  const ours = own ?? (await createTestDatabase());
  if (given) await admitByPassword(given.admin);
  // Their database has none of our tables.
  await theirs.admin.unsafe(
    'drop publication triagem; drop table tickets, sectors, events, event_details, triagem_schema',
  );
  const reader = `leitor_${randomBytes(4).toString('hex')}`;
  await theirs.admin.unsafe(`${system.tables}; create role ${reader} login replication password '${reader}'`);
  closeOnce(() => theirs.admin.unsafe(`drop owned by ${reader}; drop role ${reader}`));
  const vendor = postgres(theirs.adminUrl, { max: 8, onnotice: () => {} });
  closeOnce(() => vendor.end({ timeout: 1 }));
  await system.sell(vendor, SOLD);
  const env = {
    GATES_DATABASE_URL: ours.gatesUrl,
    MIGRATE_DATABASE_URL: ours.adminUrl,
    SOURCE_OWNER_URL: theirs.adminUrl,
    SOURCE_DATABASE_URL: Object.assign(new URL(theirs.adminUrl), { username: reader, password: reader }).href,
  };
  const run: ConnectedBoard['run'] = async (command, args, code = 0) => {
    let output = '';
    const spies = (['stdout', 'stderr'] as const).map((name) =>
      vi.spyOn(process[name], 'write').mockImplementation((text) => {
        output += String(text);
        return true;
      }),
    );
    try {
      const ended = await command.run(args, env);
      if (ended !== code) throw new Error(`exit code ${ended}: ${output}`);
      return output;
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
  };
  const board: ConnectedBoard = {
    system,
    theirs,
    ours,
    vendor,
    env,
    run,
    connect: (...more) => run(connectSystem, [...system.options, '--yes', ...more]),
    untilExact: (limitMs = 30_000) =>
      until(async () => {
        const wanted = await vendor.unsafe(`${system.recount} order by 1`);
        const tickets = await ours.admin`
          select id, is_valid_ticket, entrou, setor from tickets where event_id = ${DEFAULT_EVENT_ID} order by 1`;
        expect([...tickets]).toEqual([...wanted]);
      }, limitMs),
  };
  // A slot would keep their database.
  closeOnce(async () => {
    const [there] =
      await ours.admin`select from pg_subscription s join pg_database d on d.oid = s.subdbid where d.datname = current_database()`;
    if (there) await run(connectSystem, ['--remove', '--yes']);
  });
  return board;
}
