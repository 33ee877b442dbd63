/** page, which the soak runs without a browser, asks this of a browser's fetch. Node's keeps no cache. */
interface RequestInit {
  cache?: 'no-store';
}
