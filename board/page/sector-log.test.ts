import { expect, it } from 'vitest';
import type { SectorDocument } from '../../domain/event-state.ts';
import type { LiveMessage } from '../../domain/live-message.ts';
import { createSectorLog } from './sector-log.ts';

it('logs the first sector documents and every change, not the same ones after a reconnect', () => {
  const logged: (readonly SectorDocument[])[] = [];
  const log = createSectorLog((documents) => logged.push(documents));
  const sectors = (gates: number): LiveMessage => ({
    event: 'sectors',
    data: [{ code: '4', data: { gates } }],
  });
  log([{ event: 'heartbeat', sentAtMs: 1 }, sectors(1)]);
  log([sectors(1)]);
  log([sectors(2), sectors(1)]);
  expect(logged.map(([first]) => first?.data)).toEqual([{ gates: 1 }, { gates: 2 }, { gates: 1 }]);
});
