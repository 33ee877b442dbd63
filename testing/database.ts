import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { inject } from 'vitest';
import { closeOnce } from './close-once.ts';
import type { ClusterUrls } from './shared-cluster.ts';
import { until } from './until.ts';

declare module 'vitest' {
  interface ProvidedContext {
    clusterUrls: ClusterUrls;
  }
}

/** A database of a test's own, prepared for Triagem. */
export interface TestDatabase {
  readonly name: string;
  readonly adminUrl: string;
  readonly ownerUrl: string;
  readonly observerUrl: string;
  readonly gatesUrl: string;
  /** Connections of a gate system. */
  readonly gates: postgres.Sql;
  /** A connection that may change the schema. */
  readonly admin: postgres.Sql;
  /** Whether anybody may open a new connection to it. */
  allowConnections(allowed: boolean): Promise<void>;
  drop(): Promise<void>;
}

export async function createTestDatabase(): Promise<TestDatabase> {
  const cluster = inject('clusterUrls');
  const name = `test_${randomBytes(6).toString('hex')}`;
  const inDatabase = (url: string): string => Object.assign(new URL(url), { pathname: `/${name}` }).href;
  const urls = {
    adminUrl: inDatabase(cluster.admin),
    ownerUrl: inDatabase(cluster.owner),
    observerUrl: inDatabase(cluster.observer),
    gatesUrl: inDatabase(cluster.gates),
  };
  const maintenance = postgres(cluster.admin, { max: 1, onnotice: () => {} });
  const { username: owner, pathname } = new URL(cluster.owner);
  // Copied as files: written to the log, every walsender of the cluster would have to read it.
  await maintenance.unsafe(
    `create database ${name} template "${pathname.slice(1)}" owner "${owner}" strategy file_copy`,
  );
  const gates = postgres(urls.gatesUrl, { max: 10, onnotice: () => {} });
  const admin = postgres(urls.adminUrl, { max: 1, max_lifetime: null, onnotice: () => {} });
  // It stays connected when nobody else gets in.
  await admin`select 1`;
  return {
    name,
    ...urls,
    gates,
    admin,
    async allowConnections(allowed) {
      await maintenance.unsafe(`alter database ${name} allow_connections ${allowed}`);
    },
    drop: closeOnce(async () => {
      await Promise.all([gates.end({ timeout: 1 }), admin.end({ timeout: 1 })]);
      // A server that has just been cut off may still be letting go of its slot.
      await until(() => maintenance.unsafe(`drop database if exists ${name} with (force)`));
      await maintenance.end();
    }),
  };
}
