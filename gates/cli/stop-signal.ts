const controller = new AbortController();
let isListening = false;

/**
 * Aborts on Ctrl-C, on SIGTERM, and when the demo that started the process is gone. After the first call, none of them ends
 * the process by itself. Each may come twice, since npm passes on signals that the terminal sends as well.
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
