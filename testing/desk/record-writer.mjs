/**
 * Records one event in a process of its own, an entry after the other, each again with the same id until it is answered,
 * and a minute with each. It reports by messages, until it is killed.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';

const { url, eventId, name, module, codes } = JSON.parse(process.argv[2]);
const { PostgresRecord } = await import(module);
const record = new PostgresRecord({
  url,
  eventId,
  rows: codes.map((code) => ({ code, codes: [code] })),
  place: { setting: 'RECORD_DATABASE_URL' },
  source: 'live',
  log: pino({ level: 'silent' }),
});
record.run({ loaded() {}, rows() {}, leader: () => process.send({ writes: true }) });

const counts = { admitted: 1, net: 1, entered: 1, reverted: 0, moved: 0, valid: 9, lots: 0 };
for (let number = 0; ; number += 1) {
  const id = `${name} ${number}`;
  record.writeMinutes([
    { minuteMs: 60_000 * (30_000_000 + number), sectors: [...codes, ''].map(() => counts) },
  ]);
  const entry = {
    id,
    atMs: Date.now(),
    source: 'live',
    by: name,
    sector: null,
    kind: 'evacuation',
    data: {},
    figures: {},
  };
  for (;;) {
    const row = await record.append(entry).catch(() => undefined);
    if (row) {
      process.send({ answered: id });
      break;
    }
    await pause(20);
  }
}
