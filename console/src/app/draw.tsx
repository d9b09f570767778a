import { options, type Ref, type VNode } from 'preact';
import { createRoot } from 'react-dom/client';
import { Gate } from './Gate.tsx';

export function draw(place: HTMLElement): void {
  focusNewElements();
  createRoot(place).render(<Gate waiting={place.innerHTML} />);
}

type ElementRef = Ref<HTMLElement>;

const focused = new WeakSet<HTMLElement>();
const refs = new WeakMap<object, ElementRef>();

function focusOnce(element: HTMLElement | null): void {
  if (!element || focused.has(element)) return;
  focused.add(element);
  element.focus();
}

/** Returns the same function for the same ref, so that Preact does not call it at each render. */
function focusing(own: NonNullable<ElementRef>): ElementRef {
  const ref: ElementRef = (element) => {
    if (typeof own === 'function') own(element);
    else own.current = element;
    focusOnce(element);
  };
  refs.set(own, ref);
  return ref;
}

/** Focuses a new element with `autoFocus`, as React does. Preact sets an attribute, which works only when a page loads. */
function focusNewElements(): void {
  const before = options.vnode;
  options.vnode = (vnode: VNode<{ autoFocus?: boolean }>) => {
    if (typeof vnode.type === 'string' && vnode.props.autoFocus) {
      const own = vnode.ref;
      vnode.ref = own ? (refs.get(own) ?? focusing(own)) : focusOnce;
    }
    before?.(vnode);
  };
}
