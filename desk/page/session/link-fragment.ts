/** The secret of a link, with which its reader signs in. */
export type LinkFragment =
  | { readonly invitation: string }
  /** The page signs in at once if the link has a name, like that of the demo. */
  | { readonly key: string; readonly name: string | undefined };

/** Reads `#convite=…`, or `#chave=…` with or without `&nome=…`. The fragment is never sent to a server. */
export function readLinkFragment(hash: string): LinkFragment | undefined {
  const parts = new URLSearchParams(hash.replace(/^#/, ''));
  const invitation = parts.get('convite');
  if (invitation) return { invitation };
  const key = parts.get('chave');
  return key ? { key, name: parts.get('nome') || undefined } : undefined;
}

/** Reads the fragment and removes it from the address, which must not open a desk when it is shared. */
export function takeLinkFragment(window: Window): LinkFragment | undefined {
  const { location, history } = window;
  const fragment = readLinkFragment(location.hash);
  if (fragment) history.replaceState(null, '', location.pathname + location.search);
  return fragment;
}

export function invitationLink(invitation: string, { origin, pathname }: Location): string {
  return `${origin}${pathname}#convite=${encodeURIComponent(invitation)}`;
}
