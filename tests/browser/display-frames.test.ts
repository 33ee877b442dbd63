import { expect, test } from 'vitest';
import { launchBrowser } from '../../testing/browser.ts';
import { newPage } from '../../testing/test-page.ts';
import { createTestDatabase, insertTickets, setEntered } from '../../testing/database.ts';
import { startTestServer } from '../../testing/test-server.ts';

const TICKETS = Array.from({ length: 300 }, (_, number) => ({ id: `t${number}`, setor: '4' }));

test('in a window that nobody sees, which has no display frames, all is drawn, every 100 ms at the most', async () => {
  const database = await createTestDatabase();
  await insertTickets(database.gates, TICKETS);
  const server = await startTestServer(database);
  const watched = await newPage(await launchBrowser());
  const { page } = watched;
  await page.addInitScript(() => {
    const drawnAtMs: number[] = [];
    Object.assign(globalThis, { drawnAtMs, requestAnimationFrame: () => 1 });
    new MutationObserver((changes) => {
      const isTotal = changes.some(({ target }) => target.parentElement?.closest('.total'));
      if (isTotal) drawnAtMs.push(performance.now());
    }).observe(document, { subtree: true, characterData: true });
  });
  await watched.goLive(server.url);
  for (const { id } of TICKETS) await setEntered(database.gates, id, true);
  await watched.expectTotal('300');
  const drawnAtMs = await page.evaluate(() => (globalThis as unknown as { drawnAtMs: number[] }).drawnAtMs);
  expect(drawnAtMs.length).toBeGreaterThan(2);
  const tookMs = (drawnAtMs.at(-1) ?? 0) - (drawnAtMs[0] ?? 0);
  expect(drawnAtMs.length).toBeLessThanOrEqual(2 + tookMs / 100);
});
