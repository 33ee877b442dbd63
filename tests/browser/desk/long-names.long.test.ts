import { expect, test } from 'vitest';
import { DEFAULT_VENUE } from '../../../domain/venue.ts';
import { launchBrowser } from '../../../testing/browser.ts';
import { startDeskMatch } from '../../../testing/desk-match.ts';
import { openDeskPage } from '../../../testing/desk-page.ts';
import { scrolls } from '../../../testing/layout.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { until } from '../../../testing/until.ts';
import { writeVenueFile } from '../../../testing/venues.ts';

/** As long as a name may be. */
const NAME_LENGTH = 40;
const OVERFILLED = ['11', '1', '12', '2', '5', '13'];

const browser = openForAll(launchBrowser);
const match = openForAll(async () => {
  const sectors = DEFAULT_VENUE.sectors.map(({ code, name }) => ({
    code,
    name: `${name} PORTÕES 14 E 15, CADEIRAS COBERTAS`.slice(0, NAME_LENGTH - 1).padEnd(NAME_LENGTH, 'S'),
  }));
  const started = await startDeskMatch({
    env: { VENUE_FILE: writeVenueFile({ name: 'Arena', sectors }) },
  });
  for (const code of OVERFILLED) await started.permit(code, (admitted) => admitted - 1);
  return started;
});

test('thirteen of the longest names and six alarms stand on a screen of 1080 px, in forced colours as well', async () => {
  const { page } = await openDeskPage(browser, match.server.url);
  const calling = page.locator('.alarm[data-state=calling]');
  await until(async () => expect(await calling.count()).toBe(OVERFILLED.length), 120_000);
  for (const forcedColors of ['none', 'active'] as const) {
    await page.emulateMedia({ forcedColors });
    expect(await scrolls(page)).toEqual({ sideways: false, down: false });
    const beyond = await page.evaluate(() => {
      const place = document.querySelector('.desk-alarms');
      const bottom = place?.getBoundingClientRect().bottom ?? 0;
      return {
        isScrolled: (place?.scrollHeight ?? 0) > (place?.clientHeight ?? 0),
        parts: [...(place?.querySelectorAll('.alarm, .alarm-watch') ?? [])].filter(
          (part) => part.getBoundingClientRect().bottom > bottom + 1,
        ).length,
      };
    });
    expect(beyond).toEqual({ isScrolled: false, parts: 0 });
  }
}, 240_000);
