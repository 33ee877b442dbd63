import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, vi } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import type { Command } from '../../gates/cli/command.ts';
import { createTestDatabase, type TestDatabase } from '../database/database.ts';
import { makeTestFolder } from '../folder.ts';
import { openForAll } from '../open-for-tests.ts';

/** The gates tool beside a database that is empty at the start of every test. */
export interface GatesTool {
  readonly database: TestDatabase;
  readonly folder: string;
  /** The output of the current test. */
  readonly stdout: string;
  readonly stderr: string;
  readonly run: (command: Command, ...args: string[]) => Promise<number>;
  readonly file: (content: string | Buffer) => string;
  readonly csv: (...lines: string[]) => string;
  /** Returns rows as 'event|id|t|f|4', in order; `event` stands for DEFAULT_EVENT_ID. */
  readonly tickets: () => Promise<string[]>;
  readonly entered: () => Promise<number>;
}

export function useGatesTool(): GatesTool {
  const database = openForAll(createTestDatabase);
  const own = openForAll(() => ({ folder: makeTestFolder() }));
  const output = { stdout: '', stderr: '' };
  beforeEach(() => {
    for (const name of ['stdout', 'stderr'] as const) {
      output[name] = '';
      vi.spyOn(process[name], 'write').mockImplementation((text) => {
        output[name] += String(text);
        return true;
      });
    }
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await database.gates`delete from tickets`;
    await database.gates`delete from events`;
    await database.gates`delete from sectors`;
    await database.gates`delete from event_details`;
    await database.gates`delete from ticket_times`;
    await database.gates`delete from kept_readings`;
    await database.gates`delete from refused_readings`;
    await database.gates`delete from watched_files`;
    await database.admin`truncate triagem.minutes, triagem.log`;
  });

  const file: GatesTool['file'] = (content) => {
    const path = join(own.folder, 'tickets.csv');
    writeFileSync(path, content);
    return path;
  };
  return {
    database,
    get folder() {
      return own.folder;
    },
    get stdout() {
      return output.stdout;
    },
    get stderr() {
      return output.stderr;
    },
    run: (command, ...args) =>
      command.run(args, {
        GATES_DATABASE_URL: database.gatesUrl,
        RECORD_DATABASE_URL: database.recordUrl,
      }),
    file,
    csv: (...lines) => file(`id,isValidTicket,entrou,setor\n${lines.join('\n')}\n`),
    tickets: async () => {
      const rows = await database.gates<{ text: string }[]>`
        select concat_ws('|', event_id, id, is_valid_ticket, entrou, setor) as text from tickets order by event_id, id`;
      return rows.map(({ text }) => text.replace(DEFAULT_EVENT_ID, 'event'));
    },
    entered: async () => {
      const [{ n }] = await database.gates<[{ n: number }]>`
        select count(*)::int as n from tickets where entrou`;
      return n;
    },
  };
}
