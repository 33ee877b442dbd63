import { Component, createRef, type ReactNode } from 'react';

interface PartProps {
  /** Its place on the page (frame.css). */
  readonly area: string;
  /** What it is, where it can no longer be shown. */
  readonly name: string;
  /** It stays as high as it was, whatever is shown in it: nothing below it moves under a finger. */
  readonly isHeld?: boolean;
  readonly children: ReactNode;
}

/** A place of the page. Keeps a fault in one part from taking the others with it; it is never left out in silence. */
export class Part extends Component<PartProps, { readonly failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  readonly #place = createRef<HTMLDivElement>();

  /** How high it was, where it is to stay so. */
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
