import { Component, type ReactNode } from 'react';

/** Keeps a fault in one part from taking the rest of the board with it: the part is left out. */
export class FaultBoundary extends Component<{ readonly children: ReactNode }, { readonly failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    return this.state.failed ? null : this.props.children;
  }
}
