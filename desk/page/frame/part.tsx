import { Component, createRef, type ReactNode } from 'react';

interface PartProps {
  /** The area of the page (frame.css). */
  readonly area: string;
  /** The name in the notice of a failure. */
  readonly name: string;
  /** The part keeps its height, so that nothing below it moves under a finger. */
  readonly isHeld?: boolean;
  readonly children: ReactNode;
}

/** A part of the page whose failure leaves the others as they are, and is stated in its place. */
export class Part extends Component<PartProps, { readonly failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  readonly #place = createRef<HTMLDivElement>();

  override getSnapshotBeforeUpdate(before: PartProps): number | null {
    const isToBeHeld = this.props.isHeld && !before.isHeld;
    return isToBeHeld ? (this.#place.current?.getBoundingClientRect().height ?? null) : null;
  }

  override componentDidUpdate(before: PartProps, _state: unknown, height: number | null): void {
    const place = this.#place.current;
    if (!place) return;
    if (height !== null) place.style.minHeight = `${height}px`;
    else if (before.isHeld && !this.props.isHeld) place.style.minHeight = '';
  }

  override render() {
    const { area, name, children } = this.props;
    return (
      <div className={`desk-${area}`} ref={this.#place}>
        {this.state.failed ? (
          <p className="part-failed" role="alert">
            {`${name}: esta parte falhou. `}
            <button type="button" onClick={() => window.location.reload()}>
              recarregar a página
            </button>
          </p>
        ) : (
          children
        )}
      </div>
    );
  }
}
