const controller = new AbortController();
let isListening = false;

/**
 * Aborts on Ctrl-C, on SIGTERM, and when the demo that started us is gone. Once this is called, none of them ends the
 * process by itself; npm passes on what the terminal has sent already, so that each may come twice.
 */
export function stopSignal(): AbortSignal {
  if (isListening) return controller.signal;
  isListening = true;
  const stop = (): void => {
    controller.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'disconnect'] as const) process.on(signal, stop);
  return controller.signal;
}
