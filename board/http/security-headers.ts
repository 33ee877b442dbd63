import helmet from '@fastify/helmet';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { pageOf } from './served-event.ts';

const HSTS = 'max-age=31536000';
const PERMISSIONS =
  'accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), microphone=(), payment=(), usb=(), screen-wake-lock=(self)';

/** The policy of answers under a host name that belongs to no event. */
const NO_PAGE_POLICY = "default-src 'none';frame-ancestors 'none'";

/**
 * Each page gets a Content-Security-Policy of its own, and every other answer that of the event's first page. Headers that
 * require TLS are sent over TLS only: over HTTP on a LAN address, `upgrade-insecure-requests` would leave the page blank.
 */
export async function addSecurityHeaders(app: FastifyInstance): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: false,
    frameguard: { action: 'deny' },
    referrerPolicy: { policy: 'no-referrer' },
    strictTransportSecurity: false,
    // Isolation by origin needs a trustworthy origin: over HTTP, it only causes a warning in the browser's console.
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
  });
  app.addHook('onRequest', async (request, reply) => {
    const policy = policyFor(request);
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

function policyFor({ servedEvent, routeOptions }: FastifyRequest): string {
  const page = servedEvent && (pageOf(servedEvent, routeOptions.url) ?? servedEvent.pages.list[0]);
  return page?.policy ?? NO_PAGE_POLICY;
}
