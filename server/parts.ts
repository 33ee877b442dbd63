import type { Logger } from 'pino';
import type { AddedRoom } from './added-room.ts';
import type { DeskOptions } from './desk/open-desk.ts';
import type { FleetConfig } from './fleet/fleet-config.ts';
import type { Overrides, Triagem } from './roles/triagem.ts';

/**
 * What `desk/` and `fleet/` add to the processes. No other file outside server/desk/ and server/fleet/ imports from them, so
 * that the board works without (`tools/board-alone.mjs`). Beyond its settings, the code of each is imported on demand.
 */
export type { FlowClock } from '../desk/flow/flow-clock.ts';
export { faultOfOwnAddress, readWebhookSettings } from '../desk/webhook/webhook-settings.ts';
export type { WebhookTarget } from '../desk/webhook/webhook-target.ts';
export { type FleetConfig, readFleetConfig } from './fleet/fleet-config.ts';

export async function openDesk(options: DeskOptions): Promise<AddedRoom | undefined> {
  return (await import('./desk/open-desk.ts')).openDesk(options);
}

export async function startFleet(config: FleetConfig, log: Logger, overrides: Overrides): Promise<Triagem> {
  if (config.role === 'counter') {
    return (await import('./fleet/counter.ts')).startCounter(config, log, overrides);
  }
  return (await import('./fleet/edge.ts')).startEdge(config, log, overrides);
}
