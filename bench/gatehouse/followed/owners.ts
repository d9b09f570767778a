export { default } from '../resources/owners.ts';
