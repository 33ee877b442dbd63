import { Component, type ReactNode } from 'react';

/** Leaves out a part that fails, so that the rest of the page stays. */
export class FaultBoundary extends Component<{ readonly children: ReactNode }, { readonly failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    return this.state.failed ? null : this.props.children;
  }
}
