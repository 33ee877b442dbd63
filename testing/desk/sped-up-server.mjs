/**
 * The built server as `npm start` runs it in any role, but that the flow's clock runs FLOW_SPEED times faster from FLOW_SINCE_MS on
 * (Unix time): a match of two hours gives its minutes in two. With CHECK_EVERY_MS it reads the database's clock so often.
 */
import { pino } from 'pino';
import { speedUp } from '../../build/desk/flow/flow-clock.js';
import { startTriagem } from '../../build/server/main.js';
import { OBSERVING_LIMITS } from '../../build/board/sources/postgres/limits.js';
import { readRoleConfig } from '../../build/server/roles/role-config.js';

const { FLOW_SPEED, FLOW_SINCE_MS, CHECK_EVERY_MS } = process.env;
const flowClock = speedUp(Number(FLOW_SINCE_MS), Number(FLOW_SPEED));
const limits = CHECK_EVERY_MS
  ? { ...OBSERVING_LIMITS, checkEveryMs: Number(CHECK_EVERY_MS) }
  : OBSERVING_LIMITS;
const triagem = await startTriagem(readRoleConfig(process.env), pino({ base: null }), { flowClock, limits });
process.once('SIGTERM', () => void triagem.stop().then(() => process.exit(0)));
