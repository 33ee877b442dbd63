import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeTestFolder } from '../../testing/folder.ts';
import { install } from '../../testing/server/installation.ts';
import type { Program } from '../../testing/server/program.ts';
import { untilReady } from '../../testing/server/test-server.ts';

const SESSION_SECRET = 'a-session-secret-of-32-characters';

const commandLines = new Set<string>();
let watch: NodeJS.Timeout;

beforeAll(() => {
  // initdb lives for half a second.
  watch = setInterval(readCommandLines, 50);
});

afterAll(() => clearInterval(watch));

/** What any account of this machine sees with `ps`. */
function readCommandLines(): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      commandLines.add(readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
    } catch {
      // It has ended.
    }
  }
}

test.skipIf(!existsSync('/proc/self/cmdline'))(
  'no secret stands on a command line, in a log, or in a file that others read',
  async () => {
    const { folder, url: boardUrl, run } = await install(makeTestFolder());
    const begin = (name: string, ...args: string[]): Program =>
      run(name, args, { SESSION_SECRET, DASHBOARD_KEY: '' });
    const gates = async (...args: string[]): Promise<Program> => {
      const program = begin('gates', ...args);
      expect(await program.ended, program.stderr()).toBe(0);
      return program;
    };
    const server = begin('start');
    await untilReady({ url: boardUrl }, 40_000);
    const file = join(folder, 'tickets.csv');
    writeFileSync(file, 'id,isValidTicket,entrou,setor\na,true,false,4\n');
    const programs = [server, await gates('import', file), await gates('enter', '--count', '1')];
    const url = new URL((await gates('url')).stdout().trim());
    const made = JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8')) as Record<string, string>;
    const secrets = [...Object.values(made), SESSION_SECRET];
    expect(secrets).toContain(url.password);
    expect(secrets.length).toBeGreaterThan(5);

    // The watch saw the short-lived as well.
    const seen = [...commandLines].join('\n');
    expect(seen).toContain('initdb');
    expect(seen).toContain('import');
    // `url` is asked for the password, and prints it for that.
    const printed = programs.map(({ stdout, stderr }) => stdout() + stderr()).join('');
    for (const secret of secrets) {
      expect(seen.includes(secret)).toBe(false);
      expect(printed.includes(secret)).toBe(false);
    }
    for (const name of ['secrets.json', 'gates.json', 'gates.pgpass']) {
      expect([name, statSync(join(folder, name)).mode & 0o077]).toEqual([name, 0]);
    }
  },
);
