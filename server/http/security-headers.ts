import helmet from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';
import type { Page } from './page.ts';

const HSTS = 'max-age=31536000';
const PERMISSIONS =
  'accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), microphone=(), payment=(), usb=(), screen-wake-lock=(self)';

/**
 * Each page gets its own Content-Security-Policy, every other answer that of the first page. What asks for TLS is sent
 * behind TLS only: over plain HTTP on a LAN address, `upgrade-insecure-requests` would leave the page blank.
 */
export async function addSecurityHeaders(app: FastifyInstance, pages: readonly Page[]): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: false,
    frameguard: { action: 'deny' },
    referrerPolicy: { policy: 'no-referrer' },
    strictTransportSecurity: false,
    // Isolation by origin needs a trustworthy origin; over plain HTTP it is only a warning in the console.
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
  });
  const policies = new Map<string | undefined, string>(pages.map(({ route, policy }) => [route, policy]));
  const firstPolicy = pages[0]?.policy ?? "default-src 'none'";
  app.addHook('onRequest', async (request, reply) => {
    const policy = policies.get(request.routeOptions.url) ?? firstPolicy;
    reply.header('permissions-policy', PERMISSIONS);
    if (request.protocol !== 'https') {
      reply.header('content-security-policy', policy);
      return;
    }
    reply.header('content-security-policy', `${policy};upgrade-insecure-requests`);
    reply.header('strict-transport-security', HSTS);
    reply.header('cross-origin-opener-policy', 'same-origin');
  });
}
