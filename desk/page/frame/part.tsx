import { Component, createRef, type ReactNode } from 'react';

interface PartProps {
  /** The grid area of the page (frame.css). */
  readonly area: string;
  /** The name that is displayed if the part fails. */
  readonly name: string;
  /** The part keeps its height, so that nothing below it moves under a finger. */
  readonly keepsHeight?: boolean;
  readonly children: ReactNode;
}

/** An error boundary: if this part of the page fails, a message replaces it, and the other parts go on. */
export class Part extends Component<PartProps, { readonly failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  readonly #element = createRef<HTMLDivElement>();

  override getSnapshotBeforeUpdate(previous: PartProps): number | null {
    const isStart = this.props.keepsHeight && !previous.keepsHeight;
    return isStart ? (this.#element.current?.getBoundingClientRect().height ?? null) : null;
  }

  override componentDidUpdate(previous: PartProps, _state: unknown, height: number | null): void {
    const element = this.#element.current;
    if (!element) return;
    if (height !== null) element.style.minHeight = `${height}px`;
    else if (previous.keepsHeight && !this.props.keepsHeight) element.style.minHeight = '';
  }

  override render() {
    const { area, name, children } = this.props;
    return (
      <div className={`desk-${area}`} ref={this.#element}>
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
