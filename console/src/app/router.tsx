import { useState } from 'react';
import { type RouterProvider, type RouterWrapperProps, reactRouterProvider } from 'react-admin';
import { createBrowserRouter, RouterProvider as ReactRouter } from 'react-router-dom';
import { home } from '../data/api.ts';

/** Pages have addresses of their own, which the service sees: so they survive the way over the login page. */
function AddressRouter({ children }: RouterWrapperProps) {
  const [router] = useState(() => createBrowserRouter([{ path: '*', element: children }], { basename: home }));
  return <ReactRouter router={router} />;
}

export const router: RouterProvider = { ...reactRouterProvider, RouterWrapper: AddressRouter };
