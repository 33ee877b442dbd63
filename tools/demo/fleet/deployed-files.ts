import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const DEPLOY = fileURLToPath(new URL('../../../../deploy/', import.meta.url));

/** The accounts of deploy/nats-server.conf. */
export const NATS_USERS = ['counter-1', 'counter-2', 'edge-1', 'edge-2'] as const;
export type NatsUser = (typeof NATS_USERS)[number];

export interface NatsPorts {
  readonly client: number;
  readonly monitoring: number;
  readonly route: number;
}

/** Adapts deploy/nats-server.conf to one of several local servers, without TLS. */
export function natsConfig(own: NatsPorts, all: readonly NatsPorts[]): string {
  const routes = all.map(({ route }) => `"nats://127.0.0.1:${route}"`).join('\n    ');
  return adaptFile('nats-server.conf', [
    [/^ *tls \{[^}]*\}\n/gm, ''],
    [/0\.0\.0\.0:4222/, `127.0.0.1:${own.client}`],
    [/127\.0\.0\.1:8222/, `127.0.0.1:${own.monitoring}`],
    [/0\.0\.0\.0:6222/, `127.0.0.1:${own.route}`],
    [/"nats:\/\/nats-1\.example\.org:6222"[^\]]*/, `${routes}\n  `],
  ]);
}

/** Returns the environment variable from which deploy/nats-server.conf reads a user's password. */
export function passwordVariable(user: NatsUser): string {
  return `${user.toUpperCase().replaceAll('-', '_')}_PASSWORD`;
}

/** Adapts deploy/nginx-edges.conf to these edges, without TLS, and adds what a system's nginx.conf has around it. */
export function nginxConfig(folder: string, listen: string, edgePorts: readonly number[]): string {
  const edges = edgePorts.map((port) => `server 127.0.0.1:${port} max_fails=0;`).join('\n    ');
  const site = adaptFile('nginx-edges.conf', [
    [/listen 443 ssl [^;]*;/, `listen ${listen};`],
    [/^ *ssl_certificate.*\n/gm, ''],
    [/board\.example\.org/, '_'],
    [/server 10\.0\.0\.11:3000 max_fails=0;\n *server 10\.0\.0\.12:3000 max_fails=0;/, edges],
    [/\/opt\/triagem\/deploy/, DEPLOY],
  ]);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
    .join(' ');
  // One process, so that a kill ends all of nginx.
  return `daemon off; master_process off;
pid ${folder}/nginx.pid;
error_log stderr warn;
events { worker_connections 4096; }
http { types { text/html html; } access_log off; ${temporary}
${site}}
`;
}

function adaptFile(name: string, replacements: readonly (readonly [RegExp, string])[]): string {
  let text = readFileSync(join(DEPLOY, name), 'utf8');
  for (const [pattern, replacement] of replacements) {
    if (text.search(pattern) === -1) throw new Error(`deploy/${name} has no match of ${pattern.source}`);
    text = text.replaceAll(new RegExp(pattern, pattern.flags.replace('g', '') + 'g'), () => replacement);
  }
  return text;
}
