import { expect, test } from 'vitest';
import { formatPosition } from '../../../domain/log-position.ts';
import { withReturn } from '../../../domain/returned-primary.ts';
import { earlierLog } from './replication-error.ts';

const returned = withReturn(1, { rank: 1, by: 'Ana', atMs: 0 });

test.each([
  ['an older copy, which a board takes at its start', 1, 1, false, 'restart this board if an older copy was'],
  ['an older copy behind a counter', 1, 1, true, 'go back to this one on purpose: `npm run return`'],
  ['a former primary', 1, 2, false, 'go back to this one on purpose: `npm run return`'],
  ['a copy from before a return', 1, returned, false, 'go back to this one on purpose: `npm run return`'],
])('a log that stands earlier: %s', (_, timeline, before, isCounter, way) => {
  const error = earlierLog(formatPosition('7', timeline, 1n), formatPosition('7', before, 2n), isCounter);
  expect(error.message).toContain(`which the screens have seen: name the server that has it all, or ${way}`);
});
