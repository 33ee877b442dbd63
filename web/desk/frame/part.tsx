import { Component, type ReactNode } from 'react';

interface PartProps {
  /** Its place on the page (frame.css). */
  readonly area: string;
  /** What it is, where it can no longer be shown. */
  readonly name: string;
  readonly children: ReactNode;
}

/** A place of the page. Keeps a fault in one part from taking the others with it; it is never left out in silence. */
export class Part extends Component<PartProps, { readonly failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    const { area, name, children } = this.props;
    return (
      <div className={`desk-${area}`}>
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
