/**
 * `node tools/pictures.mjs [FOLDER]` plays a demo, and takes the pictures of the desk in two and a half minutes. Without a
 * folder it replaces those in docs. CHROMIUM_PATH names the browser (default: /usr/bin/chromium), PORT the demo's port.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { ROOT } from './root.mjs';

const FOLDER = process.argv[2] ?? join(ROOT, 'docs');
const { PORT = '3123', CHROMIUM_PATH = '/usr/bin/chromium' } = process.env;
const DESK_KEY = randomBytes(12).toString('hex');
/** Faster, a state would be over before its picture is taken. */
const SPEED = 40;
const WALL = { width: 1920, height: 1080 };
const PHONE = { width: 390, height: 844 };

const dataDir = mkdtempSync(join(tmpdir(), 'triagem-pictures-'));
// As root, PostgreSQL runs under another account.
chmodSync(dataDir, 0o755);
const demo = spawn(process.execPath, [join(ROOT, 'tools/launch.mjs'), 'demo', '--speed', `${SPEED}`], {
  env: { ...process.env, PORT, DATA_DIR: dataDir, DESK_KEY, HOST: '127.0.0.1' },
  stdio: ['ignore', 'inherit', 'inherit'],
});
const ended = once(demo, 'exit');
const browser = await chromium.launch({ executablePath: CHROMIUM_PATH, args: ['--no-sandbox'] });
try {
  await Promise.race([
    takePictures(),
    ended.then(() => {
      throw new Error('The demo ended.');
    }),
  ]);
} finally {
  await browser.close();
  demo.kill('SIGINT');
  await ended;
  rmSync(dataDir, { recursive: true, force: true });
}

async function takePictures() {
  await untilServed();
  const wall = await openDesk({ viewport: WALL, colorScheme: 'dark' });
  const light = await openDesk({ viewport: WALL, colorScheme: 'light' });
  const phone = await openDesk({ viewport: PHONE, colorScheme: 'dark', deviceScaleFactor: 2 });
  await alarm(wall, 'sem acessos registrados');
  await wall.getByRole('button', { name: 'ocorrência' }).click();
  await wall.getByRole('textbox').fill('ônibus da visitante atrasado');
  await wall.getByRole('button', { name: 'registrar' }).click();
  await shoot(phone, 'fluxo-telefone');
  await wall.getByRole('button', { name: 'voltar a um minuto' }).click();
  await wall.getByText('não é ao vivo').waitFor();
  await shoot(wall, 'fluxo-registro');
  await wall.keyboard.press('Escape');
  await alarm(wall, 'acessos em queda');
  await Promise.all([shoot(wall, 'fluxo-mesa'), shoot(light, 'fluxo-claro')]);
}

async function untilServed() {
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${PORT}/healthz`).catch(() => undefined);
    if (answer?.ok) return;
    if (demo.exitCode !== null) throw new Error('The demo ended.');
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

async function openDesk(options) {
  const page = await (await browser.newContext({ locale: 'pt-BR', ...options })).newPage();
  await page.goto(`http://127.0.0.1:${PORT}/fluxo#chave=${DESK_KEY}&nome=Ana`);
  await page.getByText('ao vivo', { exact: true }).waitFor();
  return page;
}

function alarm(page, words) {
  const title = page.locator('.alarm[data-state=calling] .alarm-title');
  return title.filter({ hasText: words }).waitFor({ timeout: 300_000 });
}

async function shoot(page, name) {
  await page.evaluate(() => document.fonts.ready);
  await page.screenshot({ path: join(FOLDER, `${name}.png`) });
}
