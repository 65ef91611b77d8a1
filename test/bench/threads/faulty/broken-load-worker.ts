// A load thread that does not even start.

throw new Error('cannot start');
