export { Counter, Gauge, Registry } from 'prom-client';
