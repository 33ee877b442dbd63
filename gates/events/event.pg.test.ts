import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { useGatesTool } from '../../testing/gates/gates-tool.ts';
import { startTestServer, type TestServer } from '../../testing/server/test-server.ts';
import { until } from '../../testing/until.ts';
import { backup } from '../backup/backup.ts';
import { enter } from '../simulator/enter.ts';
import { importTickets } from '../import/import.ts';
import { setEvent } from './set.ts';
import { restore } from '../backup/restore.ts';
import { url } from '../cli/url.ts';

const BOARD_EVENT = 'b'.repeat(32);
const OTHER_EVENT = 'a'.repeat(32);
const TITLE = 'Triagem · Palestra × Atlético';

const tool = useGatesTool();
const { run, csv, tickets } = tool;

/** As beside an embedded database; `board`: what its server shows. */
function beside(board: object | undefined, pid = process.pid): Record<string, string> {
  const announcement = { url: tool.database.gatesUrl, pid, board };
  writeFileSync(join(tool.folder, 'gates.json'), JSON.stringify(announcement));
  return { DATA_DIR: tool.folder };
}

const BOARD = { eventId: BOARD_EVENT, title: TITLE };
const NAME = `${BOARD_EVENT} ("${TITLE}")`;

test('tickets go to the event of the running board, unless EVENT_ID or, before it, --event names another', async () => {
  const env = beside(BOARD);
  await importTickets.run([csv('a,1,1,4')], env);
  expect(tool.stderr).toContain(`Event ${NAME}, which the running board shows.\n`);
  await importTickets.run([csv('b,1,1,4')], { ...env, EVENT_ID: OTHER_EVENT });
  await importTickets.run([csv('c,1,1,4'), '--event', 'c'.repeat(32)], { ...env, EVENT_ID: OTHER_EVENT });
  expect(tool.stderr).toContain(
    `Event ${OTHER_EVENT}: no board here shows it! The running board shows ${NAME}.\n`,
  );
  await importTickets.run([csv('d,1,1,4')], { ...env, EVENT_ID: ' ' });
  expect((await tickets()).map((ticket) => ticket.split('|', 2).join('|'))).toEqual([
    `${OTHER_EVENT}|b`,
    `${BOARD_EVENT}|a`,
    `${BOARD_EVENT}|d`,
    `${'c'.repeat(32)}|c`,
  ]);
});

test('without any board they go to the default event, and a message reports that none shows it', async () => {
  await importTickets.run([csv('a,1,1,4')], beside(undefined));
  expect(tool.stderr).toContain(`Event ${DEFAULT_EVENT_ID}: no board here shows it.\n`);
  await run(importTickets, csv('b,1,1,4'));
  expect(tool.stderr).toContain(`Event ${DEFAULT_EVENT_ID}: no board shows it, of those that observe this`);
  expect(await tickets()).toEqual(['event|a|t|t|4', 'event|b|t|t|4']);
});

test('an event that has a title is named with it, whether a board shows it or not', async () => {
  await tool.database.gates`
    insert into event_details (event_id, title)
    values (${OTHER_EVENT}, 'Ceará × Fortaleza'), (${BOARD_EVENT}, 'Final da Copa')`;
  const env = beside(BOARD);
  await importTickets.run([csv('a,1,1,4'), '--event', OTHER_EVENT], env);
  expect(tool.stderr).toContain(
    `Event ${OTHER_EVENT} ("Ceará × Fortaleza"): no board here shows it! The running board shows ${BOARD_EVENT} ("Final da Copa").\n`,
  );
  await importTickets.run([csv('b,1,1,4')], env);
  expect(tool.stderr).toContain(
    `Event ${BOARD_EVENT} ("Final da Copa"), which the running board shows under the title "${TITLE}" of its setting EVENT_TITLE.\n`,
  );
  await importTickets.run([csv('c,1,1,4')], beside({ ...BOARD, title: 'Triagem · Final da Copa' }));
  expect(tool.stderr).toContain(`Event ${BOARD_EVENT} ("Final da Copa"), which the running board shows.\n`);
  await run(enter, '--id', 'a', '--event', OTHER_EVENT);
  expect(tool.stderr).toContain(`Event ${OTHER_EVENT} ("Ceará × Fortaleza"): no board shows it, of those`);
});

test('a title that is set, and that the board does not display, is said to need its setting', async () => {
  await tool.database.gates`insert into event_details (event_id, title) values (${BOARD_EVENT}, 'x')`;
  const set = (title: string): Promise<number> => setEvent.run(['--title', title], beside(BOARD));
  await set("Final d'Oeste");
  expect(tool.stderr).toContain(
    `The board displays the title of its setting EVENT_TITLE, not this one: start it again with EVENT_TITLE="Final d'Oeste".\n`,
  );
  const before = tool.stderr.length;
  await set('Palestra × Atlético');
  await setEvent.run(['--kick-off', 'none'], beside(BOARD));
  expect(tool.stderr.slice(before)).not.toContain('not this one');
});

test('a killed board is still remembered with its event', async () => {
  // No process has this one: it is above the largest there can be.
  await importTickets.run([csv('a,1,1,4')], beside(BOARD, 2 ** 22 + 1));
  expect(tool.stderr).toContain(`Event ${NAME}: no board here shows it now; the last one did.\n`);
  expect(await tickets()).toEqual([`${BOARD_EVENT}|a|t|t|4`]);
});

function ready({ url: address }: TestServer): Promise<void> {
  return until(async () => expect((await fetch(`${address}/readyz`)).status).toBe(200));
}

test('boards beside a PostgreSQL of one’s own are found in it', async () => {
  const first = await startTestServer(tool.database, { EVENT_ID: BOARD_EVENT });
  await ready(first);
  await run(importTickets, csv('a,1,0,4'));
  expect(tool.stderr).toContain(`Event ${BOARD_EVENT}, which the running board shows.\n`);
  expect(await tickets()).toEqual([`${BOARD_EVENT}|a|t|f|4`]);
  await run(url);
  const line = `The running board shows event ${BOARD_EVENT}.\n`;
  expect(tool.stderr.split(line)).toHaveLength(2);
  const path = join(tool.folder, 'tickets.gz');
  await run(backup, path);
  await expect(run(restore, path)).rejects.toThrow('has 1 tickets already');
  expect(tool.stderr.split(line)).toHaveLength(4);

  const second = await startTestServer(tool.database, { EVENT_ID: OTHER_EVENT });
  await ready(second);
  await tool.database.gates`insert into event_details (event_id, title) values (${OTHER_EVENT}, 'Final')`;
  await run(importTickets, csv('b,1,0,4'), '--event', OTHER_EVENT);
  expect(tool.stderr).toContain(`Event ${OTHER_EVENT} ("Final"), which the running board shows.\n`);
  await expect(run(enter, '--count', '1')).rejects.toThrow(
    `several events here: ${OTHER_EVENT} ("Final"), ${BOARD_EVENT}. Say`,
  );
  expect(await run(enter, '--count', '1', '--event', BOARD_EVENT)).toBe(0);
});
