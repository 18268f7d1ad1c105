"""``python -m headroom``: the command line."""

from headroom._launcher import main

if __name__ == "__main__":
    main()
