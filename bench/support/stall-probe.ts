import { longestStallMs } from './event-loop-stall.ts';
import { serveRpc } from '../../testing/server/rpc.ts';

/** With `node --import` of this, any program serves `longestStallMs`. */
serveRpc({ longestStallMs });
