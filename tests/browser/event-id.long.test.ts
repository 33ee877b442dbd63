import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openBrowser } from '../../testing/browser/browser.ts';
import { namedEvent, startEventsApp } from '../../testing/fleet/events-app.ts';
import { scrolls } from '../../testing/browser/layout.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { PROJECT_ROOT } from '../../testing/project-root.ts';
import { openLivePage } from '../../testing/browser/test-page.ts';
import { until } from '../../testing/until.ts';

const browser = openForAll(openBrowser);

test.each(['Final-2026', 'A × B: 100%? #1 & <b>"it\'s"</b> %2e%2e', `Final ${'é'.repeat(700)}`])(
  'the wall shows an event of whatever ID, asks for it, and keeps its form: %#',
  async (eventId) => {
    const webRoot = join(PROJECT_ROOT, 'build/web');
    const app = await startEventsApp([namedEvent(eventId, '127.0.0.1')], { webRoot });
    app.count(eventId, { '4': 12 });
    const watched = await openLivePage(browser, app.url);
    await watched.expectTotal('12');
    const { page } = watched;
    expect(await page.locator('.event').textContent()).toBe(eventId);
    expect(await scrolls(page)).toEqual({ sideways: false, down: false });
    const asked = `GET ${app.url}/api/events/${encodeURIComponent(eventId)}/tickets/count?isValidTicket=true`;
    await until(() => expect(watched.requests).toContain(asked));
    expect(watched.console).toEqual(['sectors []']);
    await watched.close();
    await app.close();
  },
);
