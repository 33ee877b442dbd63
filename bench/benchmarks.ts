import { alarms } from './alarms.ts';
import { bulk } from './bulk.ts';
import { desk } from './desk.ts';
import { desks } from './desks.ts';
import { events } from './events.ts';
import { firestore } from './firestore.ts';
import { firstCounts } from './first-counts.ts';
import { forecast } from './forecast.ts';
import { gatesHttp } from './gates-http.ts';
import { latency } from './latency.ts';
import { manyEvents } from './many-events.ts';
import { page } from './page.ts';
import { relay } from './relay.ts';
import { screen } from './screen.ts';
import { start } from './start.ts';
import { viewers } from './viewers.ts';
import { writers } from './writers.ts';

/** All that `npm run bench` knows, in the order in which it runs them. */
export const BENCHMARKS = [
  latency,
  firstCounts,
  viewers,
  writers,
  start,
  bulk,
  desk,
  desks,
  alarms,
  forecast,
  events,
  manyEvents,
  gatesHttp,
  relay,
  firestore,
  page,
  screen,
] as const;
