import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { closeOnce } from '../testing/close-once.ts';
import { makeTestFolder } from '../testing/folder.ts';
import { freePort } from '../testing/server/free-port.ts';
import { openPageClient } from '../testing/browser/page-client.ts';
import { processesNaming } from '../testing/server/program.ts';
import { copyBuiltProject } from '../testing/project-copy.ts';
import { readRecipe } from '../testing/gates/recipes.ts';
import { until } from '../testing/until.ts';

/** A command of the document, and what it wrote. */
interface Terminal {
  readonly output: () => string;
  readonly ended: Promise<number | null>;
  /** Ctrl-C: to all that the terminal runs. */
  interrupt(): Promise<unknown>;
}

test('docs/first-match.md, as it stands, leads from two files to a board with the first one in', async () => {
  const folder = makeTestFolder();
  copyBuiltProject(folder);
  const [port, gatesPort] = [String(await freePort()), String(await freePort())];
  const recipe = (name: string): string =>
    readRecipe(name, { '127.0.0.1:3001': `127.0.0.1:${gatesPort}` }, 'docs/first-match.md');
  const open = (script: string): Terminal => {
    const child = spawn('sh', ['-c', script], {
      cwd: folder,
      // As a test must: the ports of the document may be another's.
      env: {
        PATH: process.env['PATH'],
        HOME: folder,
        PORT: port,
        GATES_HTTP_PORT: gatesPort,
        EMBEDDED_DATABASE_PORT: '0',
      },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (bytes: Buffer) => (output += bytes.toString()));
    const ended = once(child, 'close').then(([code]) => code as number | null);
    const interrupt = (): Promise<unknown> => {
      const runs = child.exitCode === null && child.signalCode === null;
      if (runs && child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
      return ended;
    };
    closeOnce(interrupt);
    return { output: () => output, ended, interrupt };
  };
  const runScript = async (script: string): Promise<string> => {
    const { ended, output } = open(script);
    expect(await ended, output()).toBe(0);
    return output();
  };
  const run = (name: string): Promise<string> => runScript(recipe(name));

  writeFileSync(join(folder, 'estadio.json'), recipe('venue'));
  writeFileSync(join(folder, 'ingressos.csv'), recipe('tickets'));
  await run('settings');
  const board = open(recipe('board'));
  const url = `http://127.0.0.1:${port}`;
  const isReady = async (): Promise<boolean> =>
    (await fetch(`${url}/readyz`).catch(() => undefined))?.ok === true;
  await until(async () => expect(await isReady(), board.output()).toBe(true), 60_000);
  expect(await run('match')).toContain('("Várzea × Ferroviário") is made');
  expect(await run('import')).toContain('which the running board shows');
  const listen = open(recipe('listen'));
  await until(() => expect(listen.output()).toContain(`Listening on http://127.0.0.1:${gatesPort}`), 60_000);
  expect(JSON.parse(await run('entry'))).toMatchObject({ messages: 1, applied: 1 });
  // It signs in with what the board says, as a page does.
  const viewer = await openPageClient(url, { host: `127.0.0.1:${port}` });
  await until(() =>
    expect(viewer.counts).toMatchObject({ total: 1, sectors: { NORTE: 1, SUL: 0, VISIT: 0 } }),
  );
  const found = await run('check');
  expect(found).toContain('Nothing here would stop a gate.');
  expect(found).toMatch(/^LOOK {3}tickets +5 tickets, 4 valid, 1 entered, and the gates open 2030/m);
  expect(found).toMatch(/^LOOK {3}backup /m);
  const created = await runScript(
    `. ./jogo.env && npm run -s gates -- event create --title "Várzea d'Oeste × Sul"`,
  );
  const [id, title] = created.trimEnd().split('\n').slice(-2);
  const settings = join(folder, 'jogo.env');
  const before = readFileSync(settings, 'utf8');
  writeFileSync(settings, before.replace(/EVENT_ID=.*/, id ?? '').replace(/EVENT_TITLE=.*/, title ?? ''));
  const exported = (await runScript('. ./jogo.env && env')).split('\n');
  expect(exported).toEqual(expect.arrayContaining([id, "EVENT_TITLE=Várzea d'Oeste × Sul"]));
  await listen.interrupt();
  expect(listen.output()).toContain('Stopping...');
  await board.interrupt();
  expect(processesNaming(folder)).toEqual([]);
});
