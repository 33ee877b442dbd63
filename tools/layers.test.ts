import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { PROJECT_ROOT } from '../testing/project-root.ts';

/** Of each layer: an import that it may have, and one that it may not. */
const IMPORTS = [
  ['domain/a.ts', './tally.ts', '../server/config.ts'],
  ['domain/flow/a.ts', '../tally.ts', '../../server/config.ts'],
  ['domain/json-file.ts', 'jsonc-parser', 'csv-parse'],
  ['domain/a.test.ts', '../testing/until.ts', '../server/config.ts'],
  ['web/live/a.ts', '../../domain/tally.ts', '../../server/config.ts'],
  ['web/board/a.ts', '../live/live-page.ts', 'node:fs'],
  ['web/board/b.ts', '../live/live-page.ts', '../desk/main.ts'],
  ['web/desk/a.ts', '../live/live-page.ts', '../board/main.ts'],
  ['web/record/a.ts', '../desk/desk-view.ts', '../board/main.ts'],
  ['web/desk/b.ts', '../live/live-page.ts', '../record/main.ts'],
  ['web/live/b.ts', '../design/number-format.ts', '../board/main.ts'],
  ['web/design/a.ts', '../../domain/tally.ts', '../live/store.ts'],
  ['web/live/c.ts', '../../domain/tally.ts', '../desk/main.ts'],
  ['web/design/b.ts', '../../domain/tally.ts', '../desk/main.ts'],
  ['web/live/a.test.ts', '../../testing/until.ts', '../../gates/errors.ts'],
  ['gates/a.ts', '../domain/tally.ts', '../server/config.ts'],
  ['gates/a.test.ts', '../testing/until.ts', '../tests/http.test.ts'],
  ['server/a.ts', './http/app.ts', '../web/main.ts'],
  ['server/b.ts', './counting/event-projection.ts', '../testing/until.ts'],
  ['server/a.test.ts', '../testing/until.ts', '../tools/root.mjs'],
  ['server/database/a.ts', '../sources/postgres/contract.ts', '../sources/postgres/replication-session.ts'],
  ['server/database/schema/a.ts', '../../sources/postgres/contract.ts', '../../http/app.ts'],
  [
    'server/sources/postgres/a.ts',
    '../../database/connection-fault.ts',
    '../../counting/event-projection.ts',
  ],
  ['server/sources/b.ts', '../../domain/tally.ts', '../database/schema/migrate.ts'],
  ['server/sources/postgres/b.ts', '../ticket-source.ts', '../open-source.ts'],
  ['server/sources/postgres/c.ts', '../database-clock.ts', '../firestore/firestore-source.ts'],
  ['server/sources/firestore/a.ts', '../database-clock.ts', '../postgres/limits.ts'],
  ['server/sources/source-tee.ts', './ticket-source.ts', './postgres/postgres-source.ts'],
  ['server/sources/ticket-source.ts', '../../domain/tally.ts', '../database/connection-fault.ts'],
  ['server/counting/a.ts', '../sources/ticket-source.ts', '../fan-out/fan-out.ts'],
  ['server/counting/c.ts', '../sources/ticket-source.ts', '../sources/postgres/postgres-source.ts'],
  ['server/fan-out/a.ts', '../../domain/event-state.ts', '../sources/ticket-source.ts'],
  ['server/http/a.ts', '../fan-out/fan-out.ts', '../counting/event-projection.ts'],
  ['server/http/b.ts', '../flow/desk.ts', '../flow/record/record.ts'],
  ['server/http/c.ts', '../../domain/flow/desk-state.ts', '../flow/event-flow.ts'],
  ['server/http/desk/a.ts', '../../flow/record/record.ts', '../../flow/record/chain.ts'],
  ['server/http/desk/b.ts', '../../flow/desk.ts', '../../counting/event-projection.ts'],
  ['server/flow/a.ts', '../sources/ticket-source.ts', '../sources/postgres/postgres-source.ts'],
  ['server/flow/record/a.ts', '../../database/database-session.ts', '../../http/app.ts'],
  ['server/metrics/a.ts', '../../domain/event-state.ts', '../sources/ticket-source.ts'],
  ['server/events/a.ts', '../http/served-event.ts', '../relay/edge-subscriber.ts'],
  ['server/http/e.ts', '../fan-out/fan-out.ts', '../events/served-events.ts'],
  ['server/relay/a.ts', '../counting/event-state-observer.ts', '../counting/event-projection.ts'],
  ['server/relay/b.ts', '@nats-io/transport-node', '../fan-out/fan-out.ts'],
  ['server/http/d.ts', '../fan-out/fan-out.ts', '../relay/nats-link.ts'],
  ['server/counting/b.ts', './event-state-observer.ts', '../relay/counter-publisher.ts'],
  ['server/roles/a.ts', '../relay/nats-link.ts', '@nats-io/transport-node'],
  ['testing/a.ts', '../server/main.ts', '../tests/http.test.ts'],
  ['tests/a.test.ts', '../testing/until.ts', '../bench/main.ts'],
  ['bench/a.ts', '../testing/until.ts', '../tests/http.test.ts'],
  ['tools/demo/a.ts', '../../gates/generated/random.ts', '../../testing/until.ts'],
  ['tools/demo/a.test.ts', '../../testing/until.ts', '../../bench/main.ts'],
] as const;

test('the linter refuses what a layer may not import, and nothing else', () => {
  const folder = mkdtempSync(join(tmpdir(), 'triagem-layers-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  copyFileSync(join(PROJECT_ROOT, '.oxlintrc.json'), join(folder, '.oxlintrc.json'));
  for (const [file, allowed, refused] of IMPORTS) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), `export * from '${allowed}';\nexport * from '${refused}';\n`);
  }
  const found = lint(folder).filter(({ code }) => code === 'eslint(no-restricted-imports)');
  const told = found.map(({ filename, labels }) => `${filename}:${labels[0]?.span.line}`);
  expect(told.toSorted()).toEqual(IMPORTS.map(([file]) => `${file}:2`).toSorted());
});

interface Diagnostic {
  readonly code: string;
  readonly filename: string;
  readonly labels: readonly { readonly span: { readonly line: number } }[];
}

/** What oxlint has to say of a folder's files. */
function lint(cwd: string): Diagnostic[] {
  const oxlint = join(PROJECT_ROOT, 'node_modules/oxlint/bin/oxlint');
  const options = { cwd, encoding: 'utf8' } as const;
  const { stdout, stderr } = spawnSync(process.execPath, [oxlint, '--format=json'], options);
  if (stdout === '') throw new Error(stderr);
  return (JSON.parse(stdout) as { diagnostics: Diagnostic[] }).diagnostics;
}
