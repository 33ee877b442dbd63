import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { closeOnce } from '../testing/close-once.ts';
import { createTestDatabase } from '../testing/database/database.ts';
import { DESK_KEY } from '../testing/desk/desk-app.ts';
import { makeTestFolder } from '../testing/folder.ts';
import { freePort } from '../testing/server/free-port.ts';
import { startGatesListener } from '../testing/gates/gates-listener.ts';
import { startNetwork } from '../testing/server/network.ts';
import { openForAll } from '../testing/open-for-tests.ts';
import { startProgram } from '../testing/server/program.ts';
import { PROJECT_ROOT } from '../testing/project-root.ts';
import { startTestServer } from '../testing/server/test-server.ts';
import { until } from '../testing/until.ts';

const DEPLOY = join(PROJECT_ROOT, 'deploy');
const read = (name: string): string => readFileSync(join(DEPLOY, name), 'utf8');

interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string }[];
}

const dashboard = JSON.parse(read('grafana-dashboard.json')) as { readonly panels: readonly Panel[] };

interface Rule {
  readonly name: string;
  readonly health: string;
  readonly state: string;
}

/** A board with a desk, `listen`, and Debian's Prometheus with the files of deploy/, which scrapes both. */
const site = openForAll(async () => {
  const database = await createTestDatabase({ inside: { a: '4' } });
  const network = await startNetwork(database.observerUrl);
  const metricsPort = await freePort();
  const server = await startTestServer(
    { ...database, observerUrl: network.url },
    { DESK_KEY, RECORD_DATABASE_URL: database.recordUrl, METRICS_PORT: String(metricsPort) },
  );
  closeOnce(() => server.stop());
  const listener = await startGatesListener({ GATES_DATABASE_URL: database.gatesUrl });
  closeOnce(() => listener.stop());
  const folder = makeTestFolder();
  cpSync(join(DEPLOY, 'prometheus-alerts.yml'), join(folder, 'prometheus-alerts.yml'));
  writeFileSync(
    join(folder, 'prometheus.yml'),
    read('prometheus.yml')
      .replaceAll('_interval: 5s', '_interval: 1s')
      .replace('127.0.0.1:9100', `127.0.0.1:${metricsPort}`)
      .replace('127.0.0.1:3001', new URL(listener.url).host),
  );
  const port = await freePort();
  const prometheus = startProgram(process.env['PROMETHEUS_PATH'] ?? '', [
    `--config.file=${join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ]);
  closeOnce(() => prometheus.end());
  const ask = async <T>(path: string): Promise<T> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`);
    const { status, data } = (await response.json()) as { status: string; data: T };
    expect(status).toBe('success');
    return data;
  };
  return {
    network,
    ask,
    query: async (expr: string) => {
      return (await ask<{ result: unknown[] }>(`query?query=${encodeURIComponent(expr)}`)).result;
    },
    rules: async () => {
      const { groups } = await ask<{ groups: { rules: Rule[] }[] }>('rules');
      return groups.flatMap(({ rules }) => rules);
    },
  };
});

const promtool = (...args: string[]): string =>
  execFileSync(process.env['PROMTOOL_PATH'] ?? '', args, { cwd: DEPLOY, encoding: 'utf8' });

test('promtool finds nothing wrong with what deploy/ has for Prometheus', () => {
  expect(promtool('check', 'config', 'prometheus.yml')).toContain('SUCCESS');
  expect(promtool('check', 'rules', 'prometheus-alerts.yml')).toContain('SUCCESS');
});

test('promtool: a listen that is down is called with its unit, and requests that it refuses whole with their status', () => {
  const listen = 'job="triagem-listen",instance="h:1"';
  const labels = { job: 'triagem-listen', instance: 'h:1', severity: 'page' };
  const file = join(makeTestFolder(), 'alerts.json');
  const refuses = 'listen refuses what gates send (401).';
  const rules = {
    rule_files: [join(DEPLOY, 'prometheus-alerts.yml')],
    evaluation_interval: '15s',
    tests: [
      {
        interval: '15s',
        input_series: [
          { series: `up{${listen}}`, values: '0x20' },
          { series: `triagem_gates_answers_total{${listen},status="401"}`, values: '0+5x20' },
          { series: `triagem_gates_answers_total{${listen},status="422"}`, values: '0+5x20' },
        ],
        alert_rule_test: [
          {
            alertname: 'TriagemDown',
            eval_time: '2m',
            exp_alerts: [
              {
                exp_labels: labels,
                exp_annotations: {
                  summary: 'triagem-listen at h:1 does not answer.',
                  fix: 'Start it: systemctl status triagem-gates; journalctl -u triagem-gates.',
                },
              },
            ],
          },
          {
            alertname: 'TriagemReadingsRefused',
            eval_time: '2m',
            exp_alerts: [
              {
                exp_labels: { ...labels, status: '401' },
                exp_annotations: {
                  summary: refuses,
                  fix: /refuses[^]*?fix: '(.*)'/.exec(read('prometheus-alerts.yml'))?.[1],
                },
              },
            ],
          },
        ],
      },
    ],
  };
  writeFileSync(file, JSON.stringify(rules));
  expect(promtool('test', 'rules', file)).toContain('SUCCESS');
});

test('rules and dashboard ask for metrics that there are, by the names of docs/reference.md', () => {
  const documented = readFileSync(join(PROJECT_ROOT, 'docs/reference.md'), 'utf8');
  const asked =
    `${read('prometheus-alerts.yml')}${read('grafana-dashboard.json')}`.match(/triagem_\w+/g) ?? [];
  expect([...new Set(asked)].filter((name) => !documented.includes(`\`${name}\``))).toEqual([]);
});

test('a Prometheus that scrapes a board and listen fills the dashboard, calls nobody while all is well, and does when the screens are not live', async () => {
  const { ask, query, rules, network } = site;
  await until(async () => {
    const { activeTargets } = await ask<{ activeTargets: { health: string }[] }>('targets');
    expect(activeTargets.map(({ health }) => health)).toEqual(['up', 'up']);
  }, 60_000);
  await until(async () => {
    const found = await rules();
    expect(found.length).toBeGreaterThan(10);
    expect(found.filter(({ health, state }) => health !== 'ok' || state !== 'inactive')).toEqual([]);
  }, 60_000);
  const isEmpty = async ({ targets }: Panel): Promise<boolean> => {
    const results = await Promise.all(targets.map(({ expr }) => query(expr)));
    return results.some((result) => result.length === 0);
  };
  // A rate needs two scrapes.
  await until(async () => {
    const empty: string[] = [];
    for (const panel of dashboard.panels) if (await isEmpty(panel)) empty.push(panel.title);
    expect(empty).toEqual([
      'Readings that wait for their tickets',
      // Of a fleet.
      'Counters that answer an edge',
      'Connections to NATS made anew',
      'Documents read of Firestore',
    ]);
  }, 60_000);
  network.cut();
  await until(
    async () =>
      expect((await rules()).filter(({ state }) => state === 'firing').map(({ name }) => name)).toContain(
        'TriagemNotLive',
      ),
    90_000,
  );
});
