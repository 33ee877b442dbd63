import { serveRpc } from '../../testing/server/rpc.ts';
import { usedMb } from './memory-used.ts';

/** With `node --import` of this, any program serves `usedMb`. */
serveRpc({ usedMb });
