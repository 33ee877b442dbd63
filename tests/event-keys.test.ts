import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DOCUMENT_ID_FORM } from '../domain/event.ts';
import { deriveEventKey } from '../fleet/events/event-keys.ts';
import { DESK_KEY } from '../testing/desk/desk-app.ts';
import { makeTestFolder } from '../testing/folder.ts';
import { openForAll } from '../testing/open-for-tests.ts';
import { runProgram } from '../testing/server/program.ts';
import { KEY } from '../testing/server/server.ts';

const [A, B] = ['a'.repeat(32), 'b'.repeat(32)] as const;

const files = {
  'events.json': JSON.stringify({
    'a.test': { eventId: A, title: 'Final' },
    'www.a.test': { eventId: A, title: 'Final' },
    'b.test': { eventId: B, venueFile: 'venue.json' },
  }),
  'faulty.json': '{\n  "a.test": { "eventId": "x/y" },\n  "b": []\n}',
  'venue.json': '{"name": "Arena", "sectors": [{"code": "4", "name": "Norte"}]}',
};
const folder = openForAll(() => ({ path: makeTestFolder(files) }));

async function keys(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const settings = { EVENTS_FILE: join(folder.path, 'events.json'), DASHBOARD_KEY: KEY, DESK_KEY };
  const program = runProgram('keys', args, { ...settings, ...env });
  const code = await program.ended;
  return { code, stdout: program.stdout(), stderr: program.stderr() };
}

test('npm run keys prints what an operator hands out for each event, and nothing that opens another', async () => {
  const { code, stdout, stderr } = await keys([]);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toBe(`a.test, www.a.test  (Final)
  event ID       ${A}
  dashboard key  ${deriveEventKey(KEY, 'dashboard', A)}
  desk key       ${deriveEventKey(DESK_KEY, 'desk', A)}

b.test
  event ID       ${B}
  dashboard key  ${deriveEventKey(KEY, 'dashboard', B)}
  desk key       ${deriveEventKey(DESK_KEY, 'desk', B)}
`);
});

test('of the events that are named, as JSON', async () => {
  for (const name of ['B.test', B]) {
    const { stdout } = await keys([name, '--json'], { DESK_KEY: '' });
    const dashboardKey = deriveEventKey(KEY, 'dashboard', B);
    expect(JSON.parse(stdout)).toEqual([
      { hosts: ['b.test'], eventId: B, title: null, dashboardKey, deskKey: null },
    ]);
  }
});

test.each([
  [['c.test'], {}, 2, 'EVENTS_FILE has no event c.test. See npm run -s keys -- --help.'],
  [[], { EVENTS_FILE: '' }, 2, 'EVENTS_FILE is not set.'],
  [[], { DASHBOARD_KEY: '', DESK_KEY: '' }, 2, 'neither DASHBOARD_KEY nor DESK_KEY is set.'],
  [[], { DESK_KEY: 'short' }, 2, 'DESK_KEY is too short: no edge takes fewer than 16 characters.'],
  [['--all'], {}, 2, "Unknown option '--all'."],
] as const)('%j with %j is refused in one sentence', async (args, env, code, message) => {
  const result = await keys(args, env);
  expect(result).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(message) as unknown });
});

test('a file with faults is refused with all of them', async () => {
  const path = join(folder.path, 'faulty.json');
  expect(await keys([], { EVENTS_FILE: path })).toEqual({
    code: 1,
    stdout: '',
    stderr: `EVENTS_FILE is "${path}":
  - line 2: eventId of "a.test" is "x/y": give ${DOCUMENT_ID_FORM}
  - line 3: "b" is a list: give an object with "eventId"
`,
  });
});
