/** A separate file, so that it is loaded when the first filter is opened. */
export { FilterForm as default } from 'react-admin';
