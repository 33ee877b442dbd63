/** Returns a link that signs its user in. Browsers do not send the fragment. */
export function deskLink(url: string, key: string): string {
  return `${url}/fluxo#${new URLSearchParams({ chave: key, nome: 'Demo' }).toString()}`;
}
